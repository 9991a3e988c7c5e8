"""Who is measured: libraries of the build, yardsticks, and other systems under the same workloads."""

from __future__ import annotations

from library_table import LIBRARIES, YARDSTICKS, of_mode

# In the order of tables and legends: yardsticks and peers first, then volatile, then durable libraries.
QUICK_LIBRARIES = ("floor", "pmemobj", "lock_stm", "orec_lazy_stm", "orec_lazy_ip", "orec_lazy_fast")
# Other systems under the same workloads (benchmarks/peers).
STORES = ("rocksdb", "rocksdb_tuned", "leveldb", "lmdb", "sqlite")
STORE_BENCHMARKS = ("tatp", "ycsb", "counter")
STORE_FRONT = "perdure_leveldb"  # LevelDB's interface over pools (stores/leveldb)
STORE_FRONT_BENCHMARK = "stores"
FLOOR_ON_DISK = "floor_disk"  # the least that durability costs on a disk (benchmarks/peers/floor_disk)
FINE_GRAINED = "pmemobj_fine"  # where libpmemobj's own locks are what one would write
FINE_GRAINED_BENCHMARKS = ("tatp", "sps", "queue", "sets")  # of sets the hash table
PEERS = ("pmemobj", FINE_GRAINED, "mutex", "libitm", *STORES)  # do not count what they flush
STORE_FRONTS = (STORE_FRONT, "leveldb", "rocksdb")
PEER_LIBRARIES = (*PEERS, "orec_lazy_stm", "orec_lazy_ip", "orec_lazy_fast")
FOR_SMALL_POOLS = of_mode("puc")  # they flush all of a pool with each update
SERVERS = {"memcached"}  # have a thread more than they are told to have


def all_libraries() -> tuple[str, ...]:
    """Those of the build's table, and the peer that is a library: yardsticks first, then volatile, then durable
    ones. Not those for small pools."""
    volatile = [library.name for library in LIBRARIES.values() if not library.durable]
    durable = [library.name for library in LIBRARIES.values() if library.durable]
    return (*YARDSTICKS, "pmemobj", *volatile, *(name for name in durable if name not in FOR_SMALL_POOLS))
