"""From a plan to a robot program: printed steps and skills."""
