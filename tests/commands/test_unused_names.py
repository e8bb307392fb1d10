"""Names of a pack that nothing in the scene has, in `plan` and in `pack check`."""

from template_pack import benches, template_pack

from groundplan.simulator.scene_json import scene_text


def test_plan_and_pack_check_name_what_nothing_has(cli, tmp_path):
    pack = template_pack(tmp_path / "pack", mapping={"vial = [": "vyal = ["})
    belief = benches(pack, {"cellar": ("rack",)}, {"flask": "rack"})
    scene = tmp_path / "scene.json"
    scene.write_text(scene_text(belief.scene), encoding="utf-8")
    told = cli("plan", "--pack", tmp_path / "pack", "--scene", scene, "--goal", "(measured flask)")
    assert told.code == 1 and told.last.startswith("not-found") and "did you mean 'vial'?" in told.out
    found = cli("pack", "check", tmp_path / "pack", "--scene", scene)
    assert found.code == 1 and "[unused-name] classes.vyal: nothing in the scene has this class" in found.out
    assert "mapping.toml:" in found.out and "unused-name" not in cli("pack", "check", tmp_path / "pack").out
