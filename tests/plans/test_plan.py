"""Profile to plan: every field is in a step or a gap, on every release, and the GPU group is lowered jointly."""

from __future__ import annotations

import ast
from typing import Any, Dict, List, Tuple

import pytest

from tests.profiles.test_every_field import settings_of, tree_of
from tf1compat_gpu import Profile, load_profile
from tf1compat_gpu.plans.code import python_of
from tf1compat_gpu.plans.expected import expected
from tf1compat_gpu.plans.plan import make_plan, sought
from tf1compat_gpu.plans.rules import Fidelity, rule_for
from tf1compat_gpu.plans.steps import Kind, LogicalGpu, Machine, Plan
from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.checks import check_release

RELEASES = fields.supported_releases()
GROWTH, FRACTION = "gpu_options.allow_growth", "gpu_options.per_process_gpu_memory_fraction"
VISIBLE, VIRTUAL = "gpu_options.visible_device_list", "gpu_options.experimental.virtual_devices"


def plan_of(tree: Any, **keywords: Any) -> Plan:
    return make_plan(load_profile(tree, environ={}), **keywords)


def profile_of(path: str) -> Profile:
    """A profile that sets one field, as the last release that has it reads it."""
    last = fields.paths()[path].last
    return load_profile(tree_of(settings_of(path)), environ={}, release=last if last < fields.releases()[-1] else None)


def uncovered(plan: Plan) -> List[str]:
    covered = {path for step in plan.steps for path in step.paths} | {gap.path for gap in plan.gaps}
    return [path for path in sought(plan) if path not in covered]


def taken(plan: Plan) -> Dict[str, Tuple[Any, ...]]:
    """Kind, with the call's name, to arguments: what is done, without the fields that need nothing."""
    found = {}
    for step in plan.steps:
        if step.kind is Kind.CALL:
            found[step.arguments[0].rpartition(".")[2]] = step.arguments[1:]
        elif step.kind is Kind.CARRY:
            found.update({"carry " + path: () for path in step.paths})
        elif step.kind is not Kind.NOTHING:
            found[step.kind.value] = step.arguments
    found.pop("set_soft_device_placement")
    return found


@pytest.mark.parametrize("release", [(1, 15), (2, 1), (2, 4), (2, 10), (2, 16), (2, 21)], ids=fields.format_release)
@pytest.mark.parametrize("carry", [True, False], ids=["carry", "public"])
def test_every_field_is_in_a_step_or_a_gap(release: fields.Release, carry: bool) -> None:
    for path in fields.paths():
        plan = make_plan(profile_of(path), release, carry=carry)
        assert uncovered(plan) == [], path
        assert bool(plan.problems) == bool(list(check_release(plan.profile.entries, release))), path
        if not carry:
            ast.parse(python_of(plan))
            assert plan.carried() == ()


def test_fidelity_of_a_plan_is_that_of_the_rule() -> None:
    """For a value that sets something, in the newest release."""
    differing = {}
    for path, known in fields.paths().items():
        profile = profile_of(path)
        if known.field.is_enum:  # a member that a call has, where there is a call
            names = fields.member_names(known.field.type)
            profile = load_profile(tree_of([(path, next((name for name in ("ON", "ON_1", "L0", "MLIR_BRIDGE_ROLLOUT_ENABLED") if name in names), names[-1]))]))
        plan, printed = (make_plan(profile, carry=carry) for carry in (True, False))
        own = path.split("[]")[0]
        rule = rule_for(path)
        if known.last < fields.releases()[-1] or own == "device_count" or known.field.is_message or "[]" in path:
            continue
        found = (plan.fidelity(own), printed.fidelity(own))
        if found != (rule.fidelity, rule.without_carry):
            differing[path] = found
    assert differing == {
        # What TF2 does anyway: a pool of threads of its own, and inlining.
        "use_per_session_threads": (Fidelity.EXACT, Fidelity.EXACT),
        "graph_options.optimizer_options.do_function_inlining": (Fidelity.EXACT, Fidelity.EXACT),
        # An order that is not ascending.
        VISIBLE: (Fidelity.ENVIRONMENT, Fidelity.ENVIRONMENT),
        # A list that does not say whose devices it counts.
        "pluggable_device_options.visible_device_list": (Fidelity.APPROXIMATE, Fidelity.APPROXIMATE),
    }


def test_unset_values_ask_for_nothing() -> None:
    zero = {"bool": False, "string": "", "float": 0, "double": 0}
    for path, known in fields.paths().items():
        field = known.field
        if known.last < fields.releases()[-1] or field.is_message or "[]" in path or field.repeated or field.is_map:
            continue
        value: Any = fields.member_by_number(field.type, 0).name if field.is_enum else zero.get(field.type, 0)  # type: ignore[union-attr]
        plan = plan_of(tree_of([(path, value)]))
        if path == "graph_options.optimizer_options.do_function_inlining":
            continue
        assert plan.gaps == (), path
        kinds = {step.kind for step in plan.steps if path in step.paths}
        assert kinds == ({Kind.CALL} if path == "allow_soft_placement" else {Kind.NOTHING}), path


def test_soft_placement_is_always_a_step() -> None:
    for tree, wanted in (({}, False), ({"allow_soft_placement": True}, True), ({"allow_soft_placement": False}, False)):
        (step,) = [step for step in plan_of(tree).steps if step.paths == ("allow_soft_placement",)]
        assert step.arguments == ("tf.config.set_soft_device_placement", wanted)
        assert ("write `allow_soft_placement: true`" in step.reason) == (tree == {})


def test_an_empty_profile_is_soft_placement_alone() -> None:
    plan = plan_of({})
    assert len(plan.steps) == 1 and plan.gaps == () and expected(plan) == {"allow_soft_placement": False}


@pytest.mark.parametrize(
    "tree, gpus, wanted",
    [
        ({"allow_growth": True}, None, {"growth": ()}),
        ({"allow_growth": True}, 2, {"growth": ()}),
        ({"allow_growth": True}, 0, {"carry " + GROWTH: ()}),
        ({"allow_growth": False}, 2, {}),
        ({"per_process_gpu_memory_fraction": 0.4}, 2, {"carry " + FRACTION: ()}),
        ({"per_process_gpu_memory_fraction": 1.5}, 2, {"carry " + FRACTION: ()}),
        ({"per_process_gpu_memory_fraction": 0}, 2, {}),
        ({"allow_growth": True, "per_process_gpu_memory_fraction": 0.4}, 2, {"carry " + FRACTION: (), "growth": ()}),
        ({"visible_device_list": "0,2"}, 3, {"visible": ((0, 2), None, "GPU")}),
        ({"visible_device_list": "2"}, None, {"visible": ((2,), None, "GPU")}),
        ({"visible_device_list": ""}, 3, {}),
        ({"visible_device_list": "2,0"}, 3, {"order": ((2, 0),)}),
        ({"device_count": {"GPU": 0}, "allow_growth": True}, 3, {"visible": ((), None, "GPU")}),
        ({"device_count": {"GPU": 2}}, 3, {"visible": (None, 2, "GPU")}),
        ({"device_count": {"GPU": 1}, "visible_device_list": "0,2"}, 3, {"visible": ((0,), None, "GPU")}),
        ({"device_count": {"GPU": 1}, "visible_device_list": "2,0"}, 3, {"visible": ((2,), None, "GPU")}),
        ({"device_count": {"CPU": 4}}, 2, {"logical cpus": (4,)}),
        ({"device_count": {"CPU": 1}}, 2, {}),
        # A split CPU makes the eager context forget growth and the runtime refuse a fraction.
        ({"device_count": {"CPU": 4}, "allow_growth": True}, 2, {"logical cpus": (4,), "carry " + GROWTH: ()}),
        ({"device_count": {"CPU": 4}, "per_process_gpu_memory_fraction": 0.4}, 2, {"logical cpus": (4,), "memory fraction": (0.4,)}),
        ({"device_count": {"CPU": 4}, "per_process_gpu_memory_fraction": 0.4}, 0, {"logical cpus": (4,), "carry " + FRACTION: ()}),
        ({"profile": {"gpu_memory_limit": "1GiB"}}, 2, {"logical gpus": (((None, (LogicalGpu(1024),)),),)}),
        (
            {"profile": {"gpu_memory_limit": "1GiB"}, "allow_growth": True},
            2,
            {"logical gpus": (((None, (LogicalGpu(1024),)),),), "carry " + GROWTH: ()},
        ),
        (
            {"gpu_options": {"experimental": {"virtual_devices": [{"memory_limit_mb": [100, 200]}, {}]}}, "visible_device_list": "0,2"},
            3,
            {"visible": ((0, 2), None, "GPU"), "logical gpus": (((0, (LogicalGpu(100.0), LogicalGpu(200.0))),),)},
        ),
        (
            {"gpu_options": {"experimental": {"virtual_devices": [{}, {"memory_limit_mb": [100], "priority": [-1], "device_ordinal": [3]}]}}},
            2,
            {"logical gpus": (((1, (LogicalGpu(100.0, -1, 3),)),),)},
        ),
    ],
    ids=str,
)
def test_gpu_group(tree: Any, gpus: Any, wanted: Any) -> None:
    plan = plan_of(tree, machine=Machine(gpus))
    assert taken(plan) == wanted
    assert plan.problems == () and uncovered(plan) == []
    assert {gap.path for gap in plan.gaps} == ({FRACTION} if "memory fraction" in wanted else set())


def test_order_is_lost_where_cuda_has_started() -> None:
    plan = plan_of({"visible_device_list": "2,0"}, machine=Machine(3, can_order=False))
    assert taken(plan) == {"visible": ((0, 2), None, "GPU")}
    (gap,) = plan.gaps
    assert (gap.path, gap.fidelity) == (VISIBLE, Fidelity.APPROXIMATE)
    assert '"2,0" becomes "0,2"' in gap.reason and "CUDA_VISIBLE_DEVICES" in gap.reason


def test_virtual_devices_follow_their_cards() -> None:
    """The first entry is for the first id of the list, which is the last card where TF2 sorts them."""
    tree = {"visible_device_list": "2,0", "gpu_options": {"experimental": {"virtual_devices": [{"memory_limit_mb": [100]}, {"memory_limit_mb": [200]}]}}}
    sorted_plan = plan_of(tree, machine=Machine(3, can_order=False))
    assert taken(sorted_plan)["logical gpus"] == (((2, (LogicalGpu(100.0),)), (0, (LogicalGpu(200.0),))),)
    assert expected(sorted_plan)[VIRTUAL] == ({"memory_limit_mb": (200.0,)}, {"memory_limit_mb": (100.0,)})
    ordered = plan_of(tree, machine=Machine(3))
    assert taken(ordered)["logical gpus"] == (((0, (LogicalGpu(100.0),)), (1, (LogicalGpu(200.0),))),)


@pytest.mark.parametrize(
    "tree, gpus, words",
    [
        ({"visible_device_list": "9"}, 8, ("names GPU 9", "TensorFlow sees 8: 0 to 7", "CUDA_VISIBLE_DEVICES")),
        ({"gpu_options": {"experimental": {"virtual_devices": [{"memory_limit_mb": [100]}]}}}, 2, ("1 entries", "2 GPUs are used")),
        (
            {"gpu_options": {"experimental": {"virtual_devices": [{"memory_limit_mb": [100]}] * 2}}, "device_count": {"GPU": 1}},
            3,
            ("2 entries", "1 GPU is used"),
        ),
        ({"profile": {"gpu_memory_limit": "100KiB"}}, 1, ("less than 1 MiB",)),
    ],
)
def test_what_tensorflow_refuses(tree: Any, gpus: int, words: Tuple[str, ...]) -> None:
    (problem,) = plan_of(tree, machine=Machine(gpus)).problems
    for word in words:
        assert word in problem.message + str(problem.help)


def test_global_rank_is_named() -> None:
    """R53: an id made from the rank in the whole job."""
    profile = load_profile({"visible_device_list": "${OMPI_COMM_WORLD_RANK}"}, environ={"OMPI_COMM_WORLD_RANK": "9"})
    (problem,) = make_plan(profile, machine=Machine(8)).problems
    assert "names GPU 9" in problem.message
    assert "OMPI_COMM_WORLD_RANK" in str(problem.help) and "${rank.local}" in str(problem.help)


def test_fraction_is_one_number() -> None:
    """R38: another limit for each card is said with virtual devices or gpu_memory_limit."""
    from tf1compat_gpu import ProfileError

    for value in ([0.3, 0.2], {0: 4096, 1: 2048}):
        with pytest.raises(ProfileError):
            load_profile({"per_process_gpu_memory_fraction": value})
    tree = {"gpu_options": {"experimental": {"virtual_devices": [{"memory_limit_mb": [4096]}, {"memory_limit_mb": [2048]}]}}}
    assert taken(plan_of(tree, machine=Machine(2)))["logical gpus"] == (((0, (LogicalGpu(4096.0),)), (1, (LogicalGpu(2048.0),))),)


def test_fraction_with_virtual_devices_is_an_error() -> None:
    from tf1compat_gpu import ProfileError

    tree = {"per_process_gpu_memory_fraction": 0.4, "gpu_options": {"experimental": {"virtual_devices": [{"memory_limit_mb": [100]}]}}}
    with pytest.raises(ProfileError, match="exclude each other"):
        load_profile(tree)


def test_custom_optimizers_are_carried_or_named() -> None:
    """R113: no call has them."""
    path = "graph_options.rewrite_options.custom_optimizers"
    tree = {"graph_options": {"rewrite_options": {"custom_optimizers": [{"name": "my-opt"}]}}}
    assert "carry " + path in taken(plan_of(tree))
    (gap,) = plan_of(tree, carry=False).gaps
    assert (gap.path, gap.fidelity) == (path, Fidelity.UNAVAILABLE) and "No public call" in gap.reason


def test_threads_of_0_are_not_set() -> None:
    """R68: four keys; an explicit 0 would fail once TensorFlow has started."""
    tree = {"intra_op_parallelism_threads": 4, "inter_op_parallelism_threads": 0, "allow_soft_placement": True, "device_count": {"CPU": 2}}
    assert taken(plan_of(tree)) == {"set_intra_op_parallelism_threads": (4,), "logical cpus": (2,)}
    assert "inter_op" not in python_of(plan_of(tree, carry=False))


def test_negative_inter_op_threads() -> None:
    plan = plan_of({"inter_op_parallelism_threads": -1})
    assert taken(plan) == {"set_inter_op_parallelism_threads": (1,)}
    (gap,) = plan.gaps
    assert gap.fidelity is Fidelity.APPROXIMATE and "caller's thread" in gap.reason


def test_calls_of_one_function_are_made_once() -> None:
    options = {"remapping": "OFF", "layout_optimizer": "ON", "min_graph_nodes": -1, "disable_meta_optimizer": True, "constant_folding": "DEFAULT"}
    plan = plan_of({"graph_options": {"rewrite_options": options}})
    found = taken(plan)
    assert list(found) == ["set_experimental_options"]
    assert dict(found["set_experimental_options"][0]) == {"layout_optimizer": True, "remapping": False, "min_graph_nodes": -1, "disable_meta_optimizer": True}


@pytest.mark.parametrize(
    "release, key", [((2, 8), "carry graph_options.rewrite_options.auto_mixed_precision_mkl"), ((2, 9), "set_experimental_options")], ids=str
)
def test_keys_come_with_their_release(release: fields.Release, key: str) -> None:
    tree = {"graph_options": {"rewrite_options": {"auto_mixed_precision_mkl": "ON"}}}
    assert list(taken(plan_of(tree, release=release))) == [key]


def test_numerics() -> None:
    tree = {"profile": {"numerics": "tf1"}}
    assert taken(plan_of(tree)) == {"environment": ("TF_ENABLE_ONEDNN_OPTS", "0"), "enable_tensor_float_32_execution": (False,)}
    assert taken(plan_of(tree, release=(2, 4))) == {"enable_tensor_float_32_execution": (False,)}
    assert taken(plan_of(tree, release=(2, 1))) == {}
    assert taken(plan_of({"profile": {"numerics": "native"}})) == {}
    assert uncovered(plan_of(tree, release=(2, 1))) == []


def test_environment_block() -> None:
    tree = {"profile": {"environment": {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "MY_TOKEN": "hunter2"}}}
    text = python_of(plan_of(tree, carry=False))
    assert 'os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")' in text
    assert text.index("os.environ") < text.index("import tensorflow")
    assert "hunter2" not in text


def test_steps_come_in_an_order_that_works() -> None:
    tree = {
        "visible_device_list": "0", "device_count": {"CPU": 2}, "allow_growth": True, "intra_op_parallelism_threads": 2,
        "experimental": {"enable_mlir_bridge": True}, "log_device_placement": True, "profile": {"environment": {"A": "b"}, "numerics": "tf1"},
    }  # fmt: skip
    kinds = [step.kind for step in plan_of(tree).steps if step.kind is not Kind.NOTHING]
    assert kinds == sorted(kinds, key=[Kind.ENVIRONMENT, Kind.CARRY, Kind.VISIBLE, Kind.LOGICAL_CPUS, Kind.CALL].index)
    calls = [step.arguments[0] for step in plan_of(tree).steps if step.kind is Kind.CALL]
    assert calls[-2:] == ["tf.config.experimental.enable_tensor_float_32_execution", "tf.config.experimental.enable_mlir_bridge"] or set(calls[-2:]) == {
        "tf.config.experimental.enable_tensor_float_32_execution",
        "tf.config.experimental.enable_mlir_bridge",
    }
