"""One rule for each field path, with a source, and calls that TensorFlow really has."""

from __future__ import annotations

import json
import re

import pytest

from tests.programs import reports
from tf1compat_gpu.plans.rules import MEANINGS, Fidelity, Rule, all_rules, counts, rule_for
from tf1compat_gpu.profiles import fields

RULES = all_rules()


def test_one_rule_for_every_path_and_none_beside() -> None:
    assert [rule.path for rule in RULES] == list(fields.paths())
    assert len(RULES) == 212


def test_counts_add_up() -> None:
    assert sum(counts().values()) == len(RULES)
    assert set(counts()) == set(Fidelity) == set(MEANINGS)


def test_indexes_and_map_keys_are_ignored() -> None:
    path = "gpu_options.experimental.virtual_devices[].memory_limit_mb"
    assert rule_for("gpu_options.experimental.virtual_devices[1].memory_limit_mb") is rule_for(path)
    assert rule_for("device_count[GPU]") is rule_for("device_count")
    with pytest.raises(KeyError):
        rule_for("gpu_options.allow_grwoth")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.path)
def test_rule_is_complete(rule: Rule) -> None:
    assert rule.tf1 and rule.tf2 and rule.source
    assert re.search(r"\.(cc|h|py|proto)\b|[Ss]een running|config\.proto|sources\b", rule.source), rule.source
    assert bool(rule.reason) == (rule.fidelity is not Fidelity.EXACT), "a reason for what is not exact, and for nothing else"
    assert (rule.call is None) == (rule.call_since is None)
    assert rule.call_since is None or rule.call_since in fields.supported_releases()
    for text in (rule.tf1, rule.tf2, rule.reason) + rule.traps:
        assert text == text.strip() and "  " not in text and "\n" not in text
    for text in (rule.tf1, rule.tf2) + rule.traps:
        assert text[-1] in ".)", text


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.path)
def test_fidelity_fits_the_way(rule: Rule) -> None:
    if rule.fidelity is Fidelity.EXACT:
        assert rule.call and rule.without_carry is Fidelity.EXACT
    elif rule.fidelity is Fidelity.CARRIED:
        assert rule.without_carry in (Fidelity.ENVIRONMENT, Fidelity.APPROXIMATE, Fidelity.UNAVAILABLE)
        assert (rule.without_carry is Fidelity.ENVIRONMENT) <= bool(rule.variable)
    elif rule.fidelity is Fidelity.APPROXIMATE:
        assert rule.without_carry is (Fidelity.APPROXIMATE if rule.call else Fidelity.UNAVAILABLE)
    else:
        assert rule.without_carry is rule.fidelity and rule.call is None


def test_fields_that_are_gone_are_unavailable() -> None:
    newest = fields.releases()[-1]
    gone = [path for path, entry in fields.paths().items() if entry.last < newest]
    assert gone and {rule_for(path).fidelity for path in gone} == {Fidelity.UNAVAILABLE}
    for path in gone:
        new = fields.paths()[path].field.renamed_to
        assert not new or new.rpartition(".")[2] in rule_for(path).reason


def test_field_names_in_the_texts_exist() -> None:
    """What a rule calls a field by its path is a path: `graph_options.x`, `experimental: {y: ...}`."""
    heads = "|".join(sorted(path for path, entry in fields.paths().items() if entry.field.is_group and "." not in path))
    for rule in RULES:
        for text in (rule.tf1, rule.tf2, rule.reason) + rule.traps:
            for name in re.findall(r"(?<![\w.])(?:%s)(?:\.\w+)+" % heads, text):
                assert fields.find(name), "%s: %s" % (rule.path, name)


def test_variables_are_known() -> None:
    from tf1compat_gpu.plans.variables import find

    for rule in RULES:
        if rule.variable:
            name, equals, value = rule.variable.partition("=")
            assert equals and value
            known = find(name)
            assert known is not None and known.field


@pytest.mark.tensorflow
def test_calls_exist_in_this_tensorflow() -> None:
    calls = {(rule.call, rule.call_since) for rule in RULES if rule.call and rule.call_since}
    found = reports(
        """
        import json, tensorflow as tf
        missing, release = [], [int(part) for part in tf.__version__.split(".")[:2]]
        calls = json.loads(%r)
        for call, since in calls:
            value = tf
            for part in call.split(".")[1:]:
                value = getattr(value, part, None)
            if since <= release and not callable(value):
                missing.append(call)
        report(missing=missing, tried=len(calls), first=sorted({call.split(".")[0] for call, _ in calls}))
        """
        % json.dumps(sorted(calls))
    )
    assert found == {"missing": [], "tried": len(calls), "first": ["tf"]}


@pytest.mark.tensorflow
def test_grappler_keys_are_taken_by_this_tensorflow() -> None:
    """set_experimental_options ignores unknown keys silently; the getter gives back those that it knows."""
    prefix = "graph_options.rewrite_options."
    exact = {r.path[len(prefix) :]: r.call_since for r in RULES if r.path.startswith(prefix) and r.fidelity is Fidelity.EXACT}
    carried = [r.path[len(prefix) :] for r in RULES if r.path.startswith(prefix) and r.fidelity is Fidelity.CARRIED and "." not in r.path[len(prefix) :]]
    found = reports(
        """
        import json, tensorflow as tf
        if tf.__version__.startswith("1."):
            tf.compat.v1.enable_eager_execution()
        keys, carried = json.loads(%r)
        release = [int(part) for part in tf.__version__.split(".")[:2]]
        wanted = [key for key, since in keys.items() if since <= release]
        options = {key: 7 if key == "min_graph_nodes" else True for key in wanted + carried}
        tf.config.optimizer.set_experimental_options(options)
        taken = tf.config.optimizer.get_experimental_options()
        report(lost=[key for key in wanted if key not in taken], unexpected=[key for key in carried if key in taken])
        """
        % json.dumps([exact, carried])
    )
    assert found == {"lost": [], "unexpected": []}
