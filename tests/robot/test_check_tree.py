"""The check of behavior trees refuses, with the line, what BehaviorTree.CPP refuses, and what fails later."""

from __future__ import annotations

import random
import re

import pytest

from groundplan import load_pack
from groundplan.domains.errors import InputError
from groundplan.domains.files import read_xml
from groundplan.robot.exports import check_tree
from groundplan.robot.exports.tree_check import TreeFinding
from groundplan.robot.exports.tree_nodes import BUILT_IN_NODES, pack_nodes
from groundplan.robot.exports.tree_scripts import ScriptFault, names_in

TREE = """<?xml version="1.0" encoding="UTF-8"?>
<root BTCPP_format="4" main_tree_to_execute="Plan">
  <BehaviorTree ID="Plan">
    <Sequence name="bring_banana">
      <GoTo name="s1" place="kitchen" x="1.0" y="2.0"/>
      <Action ID="Open" name="s2" asset="fridge"/>
      <Pickup name="s3" item="banana1" source="fridge"/>
      <GoTo name="s4" place="peters_office" x="-1e1" y="nan"/>
    </Sequence>
  </BehaviorTree>
  <TreeNodesModel>
    <Action ID="GoTo">
      <input_port name="place" type="std::string">room or asset id</input_port>
      <input_port name="x" type="double"/>
      <input_port name="y" type="double"/>
    </Action>
    <Action ID="Open"><input_port name="asset" type="std::string"/></Action>
    <Action ID="Pickup">
      <input_port name="item" type="std::string"/>
      <input_port name="source" type="std::string"/>
    </Action>
  </TreeNodesModel>
</root>
"""

MUTILATIONS = {
    "M1 no format": (' BTCPP_format="4"', "", 2, "no-format"),
    "M2 unknown node": ('<Action ID="Open"', '<Action ID="Opn"', 6, "unknown-node"),
    "M3 unknown port": ('name="s2" asset="', 'name="s2" assett="', 6, "unknown-port"),
    "M4 bad number": ('x="1.0"', 'x="abc"', 5, "wrong-value"),
    "M5 two children": ("    </Sequence>", "    </Sequence>\n    <AlwaysSuccess/>", 10, "wrong-children"),
    "M6 dot in an ID": ('<BehaviorTree ID="Plan">', '<BehaviorTree ID="Pl.an">', 3, "wrong-name"),
    "M7 tree named like a node": ('<BehaviorTree ID="Plan">', '<BehaviorTree ID="GoTo">', 3, "wrong-name"),
    "M8 ID on the compact form": ("<Pickup name", '<Pickup ID="Pickup" name', 7, "id-on-compact-form"),
    "M9 missing port": (' source="fridge"', "", 7, "missing-port"),
    "M10 model differs": ('<input_port name="source"', '<input_port name="from"', 7, "unknown-port"),
    "M11 unescaped &": ('place="kitchen"', 'place="bed & bath"', 5, "not-xml"),
    "M12 never set": ('item="banana1"', 'item="{banana1}"', 7, "never-set"),
}


def codes(findings: tuple[TreeFinding, ...]) -> list[tuple[int, str]]:
    return [(finding.line, finding.code) for finding in findings]


def changed(*pairs: tuple[str, str]) -> str:
    text = TREE
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def test_a_sound_tree_has_no_findings() -> None:
    assert check_tree(TREE) == ()


@pytest.mark.parametrize("name", MUTILATIONS)
def test_the_twelve_mutilations_are_refused_with_their_line(name: str) -> None:
    old, new, line, code = MUTILATIONS[name]
    findings = check_tree(changed((old, new)))
    assert (line, code) in codes(findings)
    assert all(f.severity == "error" and f.message for f in findings)


def in_tree(body: str, *trees: str, model: str = "") -> str:
    more = "\n".join(trees)
    return (
        f'<root BTCPP_format="4" main_tree_to_execute="A">\n<BehaviorTree ID="A">\n{body}\n</BehaviorTree>'
        f"{more}\n<TreeNodesModel>{model}</TreeNodesModel></root>"
    )


SAY = '<Action ID="Say"><input_port name="text" type="std::string"/></Action>'
FIND = '<Action ID="Find"><output_port name="place" type="std::string"/></Action>'


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("<Sequence/>", "wrong-children"),
        ("<Inverter/>", "wrong-children"),
        ("<Inverter><AlwaysSuccess/><AlwaysSuccess/></Inverter>", "wrong-children"),
        ("<AlwaysSuccess><AlwaysSuccess/></AlwaysSuccess>", "wrong-children"),
        ("<IfThenElse><AlwaysSuccess/></IfThenElse>", "wrong-children"),
        ("<TryCatch><AlwaysSuccess/></TryCatch>", "wrong-children"),
        ('<Switch2 variable="1" case_1="1" case_2="2"><AlwaysSuccess/></Switch2>', "wrong-children"),
        ("<Repeat><AlwaysSuccess/></Repeat>", "missing-port"),
        ('<Repeat num_cycles="many"><AlwaysSuccess/></Repeat>', "wrong-value"),
        ('<Repeat num_cycles="2.5"><AlwaysSuccess/></Repeat>', "wrong-value"),
        ('<Timeout msec="-1"><AlwaysSuccess/></Timeout>', "wrong-value"),
        ('<RunOnce then_skip="maybe"><AlwaysSuccess/></RunOnce>', "wrong-value"),
        ('<Precondition if="a==1" else="NEVER"><AlwaysSuccess/></Precondition>', "wrong-value"),
        ('<Control ID="Inverter"><AlwaysSuccess/></Control>', "wrong-kind"),
        ("<Action/>", "no-id"),
        ("<Say text='{}'/>", "wrong-value"),
        ("<Say text='=' />", "never-set"),
        ("<Find place='kitchen'/>", "wrong-value"),
        ("<Sequence><Say text='{x}'/><Find place='{x}'/></Sequence>", "set-later"),
        ("<SubTree ID='B'/>", "unknown-tree"),
        ("<SubTree ID='A'/>", "endless-tree"),
        ("<SubTree ID='B' ><AlwaysSuccess/></SubTree>", "unknown-tree"),
        ("<Sequence>words<AlwaysSuccess/></Sequence>", "stray-text"),
        ("<Say text='a' name='&#127;'/>", "wrong-name"),
        ("<Seqence><AlwaysSuccess/></Seqence>", "unknown-node"),
    ],
)
def test_what_is_wrong_with_a_node_is_found_in_its_line(body: str, code: str) -> None:
    assert (3, code) in codes(check_tree(in_tree(body, model=SAY + FIND)))


@pytest.mark.parametrize(
    "body",
    [
        "<Sequence><Find place='{x}'/><Say text='{x}'/></Sequence>",
        "<Sequence><Script code='x:=1; y = x'/><Say text='{x}'/><Say text=' {y} '/></Sequence>",
        "<Sequence><SetBlackboard value='1' output_key='x'/><Say text='{x}'/></Sequence>",
        "<Sequence><SetBlackboard value='1' output_key='{x}'/><Say text='{x}'/></Sequence>",
        "<Sequence><Find place='{x}' _onSuccess=\"y:='1'\"/><Say text='{y}' _skipIf='x==2'/></Sequence>",
        "<Sequence><Say text='{@x}'/><Say text='{'/><Say text='a;b'/><Say text=''/></Sequence>",
        "<Sequence><SubTree ID='B' place='{x}'/><Say text='{x}' _uid='3'/></Sequence>",
        "<Fallback><Parallel success_count='-1'><AlwaysSuccess/></Parallel><ForceSuccess><Say text='a'/>"
        "</ForceSuccess><IfThenElse><AlwaysSuccess/><AlwaysSuccess/><AlwaysSuccess/></IfThenElse></Fallback>",
        "<Sequence><Precondition if='1' else='SKIPPED'><Delay delay_msec='10'><Sleep msec='5'/></Delay>"
        "</Precondition><Switch2 variable='1' case_1='1' case_2='2'><AlwaysSuccess/><AlwaysSuccess/>"
        "<AlwaysSuccess/></Switch2></Sequence>",
    ],
)
def test_what_the_library_takes_and_runs_has_no_findings(body: str) -> None:
    other = "<BehaviorTree ID='B'><Sequence><Say text='{place}'/></Sequence></BehaviorTree>"
    assert check_tree(in_tree(body, other, model=SAY + FIND)) == ()


def test_a_tree_may_be_used_before_it_is_written_and_must_not_use_itself() -> None:
    b = "<BehaviorTree ID='B'><Sequence><SubTree ID='C'/></Sequence></BehaviorTree>"
    c = "\n<BehaviorTree ID='C'><Sequence><SubTree ID='B'/></Sequence></BehaviorTree>"
    found = codes(check_tree(in_tree("<SubTree ID='B'/>", b, c)))
    assert found == [(line, "endless-tree") for line in (3, 4, 6)]
    assert check_tree(in_tree("<SubTree ID='B'/>", b.replace("<SubTree ID='C'/>", "<AlwaysSuccess/>"))) == ()


def test_ports_of_trees_are_held_to_their_model() -> None:
    b = "<BehaviorTree ID='B'><Sequence><Say text='{place}'/></Sequence></BehaviorTree>"
    model = SAY + '<SubTree ID="B"><input_port name="place"/></SubTree>'
    assert check_tree(in_tree("<SubTree ID='B' place='kitchen'/>", b, model=model)) == ()
    assert check_tree(in_tree("<SubTree ID='B' _autoremap='true'/>", b, model=model)) == ()
    found = codes(check_tree(in_tree("<SubTree ID='B' plaec='kitchen'/>", b, model=model)))
    assert found == [(3, "unknown-port"), (3, "missing-port")]


def test_what_whoever_runs_the_tree_sets_can_be_said() -> None:
    tree = in_tree("<Say text='{goal}'/>", model=SAY)
    assert codes(check_tree(tree)) == [(3, "never-set")]
    assert check_tree(tree, given=["goal"]) == ()


def test_a_model_in_another_file_declares_nodes() -> None:
    model = read_xml(f'<root BTCPP_format="4"><TreeNodesModel>{SAY}</TreeNodesModel></root>', "model")
    tree = '<root BTCPP_format="4">\n<BehaviorTree ID="A">\n<Say text="a"/></BehaviorTree></root>'
    assert codes(check_tree(tree)) == [(3, "unknown-node")]
    assert check_tree(tree, models=[model]) == ()


def test_a_pack_declares_nodes_and_refuses_a_model_that_differs_from_its_skills() -> None:
    nodes = pack_nodes(load_pack())
    tree = in_tree('<Pick name="pickup(a)" item="a" source="b"/>')
    assert codes(check_tree(tree)) == [(3, "unknown-node")]
    assert check_tree(tree, pack=nodes) == ()
    model = '\n<Action ID="Pick">\n<input_port name="item" type="double"/>\n<input_port name="of"/></Action>'
    found = check_tree(in_tree('<Pick item="a" source="b"/>', model=model), pack=nodes)
    assert {code for _, code in codes(found)} == {"other-model"} and all(
        line == 6 for line, _ in codes(found)
    )
    kind = '\n<Condition ID="Pick"/>'
    assert (6, "other-model") in codes(
        check_tree(in_tree('<Pick item="a" source="b"/>', model=kind), pack=nodes)
    )


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("<a/>", "no-root", 1),
        (
            '<root BTCPP_format="3"><BehaviorTree ID="A"><AlwaysSuccess/></BehaviorTree></root>',
            "no-format",
            1,
        ),
        ('<root BTCPP_format="4"/>', "no-tree", 1),
        ('<root BTCPP_format="4">\n<Tree/></root>', "unknown-element", 2),
        ('<root BTCPP_format="4">\n<include path="x.xml"/></root>', "not-checked", 2),
        ('<root BTCPP_format="4" main_tree_to_execute="B"><BehaviorTree ID="A"/></root>', "no-main-tree", 1),
        ('<root BTCPP_format="4"><TreeNodesModel/>\n<TreeNodesModel/></root>', "two-models", 2),
        ("", "not-xml", 1),
        ("<root", "not-xml", 1),
        ("<root>\n</toor>", "not-xml", 2),
        ("\ufeff<root>\n\x00</root>", "not-xml", 2),
        ("<root a='1' a='2'/>", "not-xml", 1),
        ("<root>\ud800</root>", "not-xml", 1),
        ('<!DOCTYPE root [<!ENTITY a "b">]>\n<root>&a;</root>', "not-xml", 1),
        ('<!DOCTYPE root SYSTEM "file:///etc/passwd">\n<root/>', "not-xml", 1),
        ("<root>" + "<a>" * 1000 + "</a>" * 1000 + "</root>", "not-xml", 1),
    ],
)
def test_what_is_no_tree_is_refused_with_its_line(text: str, code: str, line: int) -> None:
    assert (line, code) in codes(check_tree(text))


def test_a_nest_of_entities_is_not_opened() -> None:
    lol = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<!DOCTYPE a [<!ENTITY l0 "lol">{lol}]><a>&l11;</a>'
    assert "document type" in check_tree(bomb)[0].message


def test_a_tree_of_any_size_is_checked_in_its_time() -> None:
    """Many unknown nodes, many trees in a row, many entries: each takes time in proportion, or is cut off."""
    unknown = in_tree("<Sequence>" + "".join(f"<N{n}/>" for n in range(50_000)) + "</Sequence>")
    found = check_tree(unknown)
    assert len(found) == 1001 and found[-1].code == "too-many"
    row = "".join(
        f"<BehaviorTree ID='T{n}'><SubTree ID='T{n + 1}' a='{{b}}'/></BehaviorTree>" for n in range(5000)
    )
    last = "<BehaviorTree ID='T5000'><AlwaysSuccess/></BehaviorTree>"
    assert check_tree(in_tree("<SubTree ID='T0'/>", row, last)) == ()
    assert check_tree("<root>" + "x<!-- -->" * 500_000 + "</root>")[0].code == "no-format"


def test_nodes_are_at_most_256_deep() -> None:
    def nested(depth: int) -> str:
        return in_tree("<Inverter>" * depth + "<AlwaysSuccess/>" + "</Inverter>" * depth)

    assert check_tree(nested(255)) == ()
    assert "too-deep" in {code for _, code in codes(check_tree(nested(260)))}


def test_a_broken_text_is_a_finding_and_never_an_error_of_ours() -> None:
    pieces = ("", "<", '"', "{", "&", "a", "/>", "\x01", "é")
    for seed in range(500):
        draw = random.Random(seed)
        text = list(TREE)
        for _ in range(draw.randint(1, 12)):
            place = draw.randrange(len(text))
            text[place : place + draw.choice((0, 1, 5))] = draw.choice(pieces)
        for finding in check_tree("".join(text)):
            assert 1 <= finding.line <= TREE.count("\n") + 2 and finding.message, seed


def test_markup_that_cannot_be_read_says_where() -> None:
    with pytest.raises(
        InputError, match=re.escape("plan.xml:2: expected well-formed XML, got mismatched tag")
    ):
        read_xml("<a>\n</b>", "plan.xml")


def test_the_built_in_nodes_are_those_of_the_library() -> None:
    """All that `src/bt_factory.cpp` of 4.10.0 registers, but for SubTree, which is no node of the table."""
    assert len(BUILT_IN_NODES) == 41
    assert {"SkipUnlessUpdated", "LoopString", "Switch6", "TryCatch", "RunOnce"} < set(BUILT_IN_NODES)


# What others leave out


NAV = """<root BTCPP_format="4"><TreeNodesModel>
<Action ID="Drive">
<input_port name="goal" type="geometry_msgs::msg::PoseStamped">where to</input_port>
<input_port name="speed" type="double" default="0.3">metres a second</input_port>
<input_port name="server_name" type="string">the server; where none is given, drive is used</input_port>
<output_port name="error_code_id" type="uint16">what went wrong</output_port>
</Action>
<Action ID="Spin"><input_port name="angle" type="double" default="1.57"/></Action>
<Condition ID="Near">
<input_port name="path" type="nav_msgs::msg::Path" default="{path}"/><input_port name="range" type="double"/>
</Condition>
</TreeNodesModel></root>"""
RECOVERING = (
    '<root BTCPP_format="4">\n<BehaviorTree ID="A">\n<Fallback name="f">\n<Drive goal="{goal}"'
    ' error_code_id="{code}"/>\n<Sequence>\n<Near path="{goal}"/>\n<Spin/>\n</Sequence>\n</Fallback>'
    "</BehaviorTree>{}</root>"
)


def test_of_nodes_of_a_model_file_only_unknown_ports_and_values_are_wrong() -> None:
    """A model cannot say that code reads a port with a fallback: Nav2's own trees leave most ports out."""
    models = [read_xml(NAV, "model")]
    tree = RECOVERING.replace("{}", "")
    assert check_tree(tree, models=models, given=["goal"]) == ()
    wrong = tree.replace("<Spin/>", '<Spin angel="3"/>').replace('<Near path="{goal}"', '<Near range="far"')
    assert codes(check_tree(wrong, models=models, given=["goal"])) == [
        (6, "wrong-value"),
        (6, "never-set"),
        (7, "unknown-port"),
    ], "a port that is left out has its default, here an entry that nothing sets"


def test_of_nodes_of_its_own_model_a_port_without_a_default_is_needed() -> None:
    own = NAV.removeprefix('<root BTCPP_format="4">').removesuffix("</root>")
    tree = RECOVERING.replace("{}", own)
    found = check_tree(tree, given=["goal"])
    assert codes(found) == [(4, "missing-port"), (6, "missing-port")]
    assert "server_name; one that may be left out has a default in the model" in found[0].message
    assert check_tree(tree, models=[read_xml(NAV, "model")], given=["goal"]) == (), "an editor's copy of it"


def test_a_tree_that_is_called_needs_each_port_of_its_model_without_a_default() -> None:
    b = "<BehaviorTree ID='B'><Find place='{place}'/></BehaviorTree>"
    model = FIND + '<SubTree ID="B"><output_port name="place"/><input_port name="a" default="1"/></SubTree>'
    found = check_tree(in_tree("<SubTree ID='B'/>", b, model=model))
    assert codes(found) == [(3, "missing-port")] and "lacks its port place" in found[0].message


# Scripts


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("", "a script is empty"),
        (" ", "a script is empty"),
        ("a ==", "at character 5 a name, a number or a text in single quotes is expected, it ends"),
        ("a = = b", "at character 5 a name"),
        ("(a", "at character 3 ) is expected, it ends"),
        ("a)", "at character 2 ; is expected, got )"),
        ("a b", "at character 3 ; is expected, got b"),
        ("a ? b", "at character 6 : is expected"),
        ("'open", "at character 1 a name, a number or a text in single quotes is expected, got 'open"),
        ("3 := a", "at character 3 a single name before an assignment"),
        ("a + b = 3", "at character 7 a single name before an assignment"),
        ("-a = 3", "at character 4 a single name before an assignment"),
        ("65.", "at character 3"),
        ("3foo", "got 3foo"),
        ("0x", "got 0x"),
        ("{a}", "got {"),
        ("ü", "got ü"),
        ("; a", "got ;"),
    ],
)
def test_a_script_is_read_as_the_library_reads_it(script: str, said: str) -> None:
    with pytest.raises(ScriptFault, match=re.escape(said)):
        names_in(script)


@pytest.mark.parametrize(
    ("script", "uses"),
    [
        ("x:=1; y = x;;", "x create, y set, x read"),
        ("a==b && c!='RED it is'", "a read, b read, c read"),
        ("a<b<=c?d:e ? 0xFF:-1e-3", "a read, b read, c read, d read, e read"),
        ("(n) += ~(m | 2) * !@root", "n change, m read, @root read"),
        ("true && !false; 65..'a'", ""),
        ("_a2 = b := 'ü;' .. c", "_a2 set, b create, c read"),
        ("(" * 9999 + "a" + ")" * 9999, "a read"),
        ("!" * 9999 + "a", "a read"),
    ],
)
def test_the_names_of_a_script_are_read_and_set_in_its_order(script: str, uses: str) -> None:
    assert ", ".join(f"{one.name} {one.use}" for one in names_in(script)) == uses


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<Say text='a' _skipIf='x =='/>", "error: wrong-script"),
        ("<Sequence _successIf=''><Say text='a'/></Sequence>", "error: wrong-script"),
        ("<ScriptCondition code='a ='/>", "error: wrong-script"),
        ("<Precondition if='(a' else='FAILURE'><AlwaysSuccess/></Precondition>", "error: wrong-script"),
        ("<SubTree ID='B' place='a' _while='{x}'/>", "error: wrong-script"),
        ("<Say text='a' _onSuccess='x = 1'/>", "error: never-set"),
        ("<Say text='a' _onSuccess='x += 1'/>", "error: never-set"),
        ("<ScriptCondition code='mode == RED'/>", "error: never-set"),
        ("<Script code='{program}'/>", "error: never-set"),
        ("<Sequence><Say text='a' _skipIf='x'/><Script code='x:=1'/></Sequence>", "warning: set-later"),
    ],
)
def test_scripts_are_checked_wherever_the_library_reads_one(body: str, expected: str) -> None:
    other = "<BehaviorTree ID='B'><Say text='{place}'/></BehaviorTree>"
    found = check_tree(in_tree(body, other, model=SAY + FIND))
    assert {f"{one.severity}: {one.code}" for one in found} == {expected}
    assert all(one.line == 3 for one in found)


def test_names_of_scripts_are_entries_that_the_tree_has_or_constants_that_are_given() -> None:
    say = "<Say text='{x}' _skipIf='mode==BLUE' _onSuccess='x=1'/>"
    tree = in_tree(f"<Sequence><Script code='mode:=RED'/>{say}{say}</Sequence>", model=SAY)
    found = [one.message.split(",")[0] for one in check_tree(tree)]
    assert found == ["nothing sets {RED}", "nothing sets {BLUE}", "{x}"]
    (late,) = check_tree(tree, given=["RED", "BLUE"])
    assert late.code == "set-later", "the first one is said before x is set, the second after it"
