"""Small BDDL problems, written for the tests."""

from __future__ import annotations

TIDY = """
(define (problem tidy-0) ; a comment
    (:domain omnigibson)
    (:objects
        apple.n.01_1 apple.n.01_2 - apple.n.01
        bowl.n.01_1 bowl.n.01_2 bowl.n.01_3 - bowl.n.01
        electric_refrigerator.n.01_1 - electric_refrigerator.n.01
        table.n.02_1 - table.n.02
        floor.n.01_1 floor.n.01_2 - floor.n.01
        lamp.n.02_1 - lamp.n.02
        agent.n.01_1 - agent.n.01
    )
    (:init
        (inroom floor.n.01_1 kitchen)
        (inroom floor.n.01_2 living_room)
        (inroom electric_refrigerator.n.01_1 kitchen)
        (inroom table.n.02_1 living_room)
        (inside apple.n.01_1 electric_refrigerator.n.01_1)
        (ontop apple.n.01_2 table.n.02_1)
        (ontop bowl.n.01_1 table.n.02_1)
        (ontop bowl.n.01_2 table.n.02_1)
        (ontop bowl.n.01_3 floor.n.01_1)
        (ontop lamp.n.02_1 table.n.02_1)
        (not (toggled_on lamp.n.02_1))
        (ontop agent.n.01_1 floor.n.01_1)
    )
    (:goal GOAL)
)
"""


def tidy(goal: str) -> str:
    """The small problem with a goal of its own."""
    return TIDY.replace("GOAL", goal)
