"""Pickled networkx graphs, as LookPlanGraph's authors build them, read as data."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import networkx
import pytest

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.formats.content import Content
from groundplan.datasets.formats.registry import detect, read
from groundplan.datasets.formats.stanford.unpickle import decoded
from groundplan.datasets.grasif.records import read_records
from groundplan.datasets.prepared import record_task
from groundplan.domains.errors import SceneError
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import ground

TABLE, FRIDGE, CAKE, HALL = ("Table", 1), ("Fridge", 1), ("Cake", 1), ("hall", 1)


def flat() -> networkx.Graph:
    """Return a graph in the shape of the authors' program: ids are pairs, places and edges both stated."""
    graph = networkx.Graph()
    graph.add_node(("scene", 1), name="flat", type="scene")
    for room in (("kitchen", 1), HALL):
        graph.add_node(room, type="place")
        graph.add_edge(room, ("scene", 1))
    opened = ["open", "close", "put_inside"]
    graph.add_node(TABLE, place=HALL, states=[], affordances=["put_on"], properties=[], type="asset")
    graph.add_node(
        FRIDGE, place=("kitchen", 1), states=["closed"], affordances=opened, properties=[], type="asset"
    )
    graph.add_node(
        CAKE, relation="ontop_of", related_to=TABLE, states=[], affordances=["pick_up"], properties=["sweet"],
        type="object",
    )  # fmt: skip
    graph.add_node(("agent", 1), location=HALL, holding="", type="agent")
    for node, fields in list(graph.nodes.items()):
        for key in ("place", "related_to", "location"):
            if key in fields:
                graph.add_edge(node, fields[key])
    return graph


def moved() -> networkx.Graph:
    graph = copy.deepcopy(flat())
    graph.nodes[CAKE].update(relation="inside_of", related_to=FRIDGE)
    return graph


@pytest.mark.parametrize("kind", [networkx.Graph, networkx.DiGraph])
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_graph_is_the_document_that_networkx_would_write(kind, protocol: int) -> None:
    graph = kind(flat())
    _ = graph.nodes, graph.edges, graph.adj, graph.degree  # views are kept in the graph, and pickled with it
    made = decoded(pickle.dumps(graph, protocol), "x")
    expected = json.loads(json.dumps(networkx.node_link_data(flat(), edges="links")))
    assert made["nodes"] == expected["nodes"]
    ends = [{tuple(link[end]) for end in ("source", "target")} for link in made["links"]]
    assert sorted(map(sorted, ends)) == sorted(sorted((a, b)) for a, b in flat().edges)


def test_records_with_graphs_are_tasks_that_are_planned_for(tmp_path: Path) -> None:
    record = {"name": "cake", "human": "Put the cake into the fridge.", "init": flat(), "goal": moved()}
    file = tmp_path / "tasks.pickle"
    file.write_bytes(pickle.dumps([record]))
    (read_record,) = read_records(file)
    assert read_record.init.nodes["Cake_1"].affordances == ("pickup",)
    assert read_record.init.nodes["kitchen_1"].parent == "scene_1"
    task = record_task(read_record, "grasif")
    assert task.gold.goal == "(inside_of Cake_1 Fridge_1)"
    belief = ground(task.load(), load_pack())
    assert plan_goal(parse_goal(task.gold.goal), belief, Engine.named("pyperplan")).verified


def test_the_document_is_read_as_a_scene_and_everything_else_of_a_pickle_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "flat.json"
    file.write_text(json.dumps(networkx.node_link_data(flat(), edges="links")), encoding="utf-8")
    assert detect(Content(file)).name == "lookplangraph"
    scene, _ = read(file)
    assert len(scene.nodes) == 7 and not scene.losses and scene.nodes["Cake_1"].parent == "Table_1"
    code = b"\x80\x04\x8c\x16networkx.classes.graph\x8c\x05Graph\x93\x8c\x01x\x85R."
    for data in (code, pickle.dumps(networkx.MultiGraph()), pickle.dumps({(((1,),),): 1})):
        with pytest.raises(SceneError):
            decoded(data, "x")
