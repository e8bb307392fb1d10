from .btcpp import TREE_FORMS, TreeForm, read_tree, write_tree
from .formats import EXPORT_FORMATS, ExportFormat, read_plan, write_export
from .nav2_route import RouteEdge, RouteGraph, RouteNode, read_route, route_graph
from .nav2_waypoints import NavWaypoint, read_waypoints
from .plansys2 import read_plansys2
from .py_trees_module import read_module
from .source import ExportSource, NotVerified, source_of
from .tree_check import TreeFinding, check_tree

__all__ = [
    "EXPORT_FORMATS",
    "TREE_FORMS",
    "ExportFormat",
    "ExportSource",
    "NavWaypoint",
    "NotVerified",
    "RouteEdge",
    "RouteGraph",
    "RouteNode",
    "TreeFinding",
    "TreeForm",
    "check_tree",
    "read_module",
    "read_plan",
    "read_plansys2",
    "read_route",
    "read_tree",
    "read_waypoints",
    "route_graph",
    "source_of",
    "write_export",
    "write_tree",
]
