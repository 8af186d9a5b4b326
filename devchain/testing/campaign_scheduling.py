"""Scheduling `load` of pytest-xdist, with one copy of each campaign on each worker at first."""

from __future__ import annotations

from xdist.scheduler import LoadScheduling  # type: ignore[import-untyped]  # it has no types

from devchain.testing.campaign_workers import COPY


class CampaignScheduling(LoadScheduling):  # type: ignore[misc]  # as above
    """Without it two copies could be in one worker's share of the tests, one after the other."""

    collection: list[str] | None
    maxschedchunk: int | None

    def schedule(self) -> None:
        """Give each worker its copies at first, then tests as they are done."""
        collections = list(self.node2collection.values())
        if self.collection is None and all(each == collections[0] for each in collections):
            copies = {
                index: int(found[1]) - 1
                for index, test in enumerate(collections[0])
                if (found := COPY.search(test))
            }
            if copies:
                self.collection = collections[0]
                self.maxschedchunk = self.maxschedchunk or len(self.collection)
                nodes = self.nodes
                for number, node in enumerate(nodes):
                    own = [at for at, worker in copies.items() if worker % len(nodes) == number]
                    self.node2pending[node].extend(own)
                    node.send_runtest_some(own)
                self.pending[:] = (at for at in range(len(self.collection)) if at not in copies)
        super().schedule()
