"""Running pages and freezing what comes out: which results are fresh, stale or missing, and making them fresh.

Whoever runs pages asks `schedule`, which loads what runs kernels: the site is built without that.
"""

from d2lbook.execute.state import DeviceState, State, device_states, page_state, status

__all__ = ["DeviceState", "State", "device_states", "page_state", "status"]
