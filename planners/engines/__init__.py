"""Classical planners behind PDDL text, in processes with limits that hold."""
