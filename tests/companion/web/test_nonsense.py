"""schemathesis asks everything that the OpenAPI document allows, and more."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from sites import Site

pytestmark = pytest.mark.slow
STREAMS = "/api/matches/{match_id}/events"


@pytest.mark.parametrize("paired", [False, True], ids=["watching", "scoring"])
def test_no_5xx_and_no_undocumented_answer(site: Site, paired: bool) -> None:
    match = site.start()
    schema = schemathesis.openapi.from_wsgi("/api/openapi.json", site.app)
    cookie = site.scorer.get_cookie("remi")
    assert cookie is not None
    headers = {"Cookie": f"remi={cookie.value}"} if paired else {}
    asked = 0

    for result in schema.get_all_operations():
        operation = result.ok()
        if operation.path == STREAMS:
            continue  # it never ends

        @settings(max_examples=25, deadline=None, phases=[Phase.generate], database=None, derandomize=True,
                  suppress_health_check=list(HealthCheck))  # fmt: skip
        def ask(case: schemathesis.Case) -> None:
            nonlocal asked
            if "match_id" in (case.path_parameters or {}):
                case.path_parameters["match_id"] = match
            answer = case.call(headers=headers)
            case.validate_response(
                answer,
                checks=[
                    not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance,
                ],
            )  # fmt: skip
            asked += 1

        from hypothesis import given

        given(case=operation.as_strategy())(ask)()
    assert asked > 300
    site.ledger.match(match)
