import pytest

import holdfast
from holdfast import rules


def test_the_former_name_of_the_rules_gives_the_same_and_warns():
    with pytest.warns(DeprecationWarning, match=r"holdfast\.rules"):
        rule = holdfast.mechanisms.parse_mechanism("ladder:0.01+round:2")
    assert rule == rules.parse_rule("ladder:0.01+round:2")
    with pytest.warns(DeprecationWarning, match="parse_rule"):
        assert holdfast.mechanisms.Ladder is rules.Ladder
    with pytest.raises(AttributeError, match="Rung"):
        holdfast.mechanisms.Rung  # noqa: B018 - the access is what is tested
