"""What every store does, as tests: a subclass named Test... provides the fixture `store`, an empty store.

The cases say nothing of how a store works inside; where a store may do more than one thing, they allow each.
"""

from tests.store.apply_contract import ApplyContract
from tests.store.attempt_contract import AttemptContract
from tests.store.object_contract import ObjectContract
from tests.store.record_contract import RecordContract

__all__ = ["StoreContract"]


class StoreContract(ObjectContract, ApplyContract, RecordContract, AttemptContract):
    """Objects and what applying makes of them, records and attempts."""
