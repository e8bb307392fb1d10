"""GRASIF: records, RobotHow's graphs and goal graphs."""
