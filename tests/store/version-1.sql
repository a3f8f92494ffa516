-- A file as the first version of the embedded store wrote it. Frozen: never make it anew.
PRAGMA application_id = 1835234097;
PRAGMA user_version = 1;
PRAGMA journal_mode = WAL;
BEGIN TRANSACTION;
CREATE TABLE bodies (
    object INTEGER PRIMARY KEY REFERENCES objects (id) ON DELETE CASCADE,
    body TEXT NOT NULL
);
INSERT INTO "bodies" VALUES(1,'{"spec":{"config":{"ignition":{"version":"3.4.0"}}}}');
INSERT INTO "bodies" VALUES(2,'{"spec":{"paused":false}}');
INSERT INTO "bodies" VALUES(3,'{"spec":{"paused":false}}');
CREATE TABLE boot_leases (
    name TEXT PRIMARY KEY NOT NULL,
    uid TEXT NOT NULL,
    resource_version INTEGER NOT NULL,
    created REAL NOT NULL,
    boot_id TEXT,
    network TEXT,
    server TEXT NOT NULL,
    worker TEXT NOT NULL,
    pool TEXT NOT NULL,
    config TEXT NOT NULL,
    asked TEXT,
    served TEXT NOT NULL,
    address TEXT NOT NULL,
    client TEXT NOT NULL,
    fetched REAL NOT NULL,
    renewed REAL NOT NULL,
    duration REAL NOT NULL,
    count INTEGER NOT NULL,
    ended REAL,
    node TEXT
);
INSERT INTO "boot_leases" VALUES('a','11111111-1111-4111-8111-111111111111',5,1700000000.5,'a',NULL,'server-1','0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f','worker','rendered-worker-0123456789abcdef0123456789abcdef','3.4.0','3.4.0','192.0.2.1','Ignition/2.26.0',1000.0,1000.0,1000.0,1,NULL,NULL);
INSERT INTO "boot_leases" VALUES('b','22222222-2222-4222-8222-222222222222',7,1700000000.5,'b',NULL,'server-1','0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f','worker','rendered-worker-0123456789abcdef0123456789abcdef','3.4.0','3.4.0','192.0.2.1','Ignition/2.26.0',1000.0,1000.0,1000.0,1,1200.0,'n1');
CREATE TABLE changed (kind TEXT PRIMARY KEY NOT NULL, token INTEGER NOT NULL);
INSERT INTO "changed" VALUES('MachineConfigPool',17);
INSERT INTO "changed" VALUES('MachineConfig',13);
INSERT INTO "changed" VALUES('Node',4);
CREATE TABLE clock (one INTEGER PRIMARY KEY CHECK (one = 1), latest REAL NOT NULL);
INSERT INTO "clock" VALUES(1,1060.0);
CREATE TABLE heartbeats (
    name TEXT PRIMARY KEY NOT NULL,
    uid TEXT NOT NULL,
    resource_version INTEGER NOT NULL,
    created REAL NOT NULL,
    worker TEXT NOT NULL,
    server TEXT NOT NULL,
    version TEXT NOT NULL,
    started REAL NOT NULL,
    renewed REAL NOT NULL,
    duration REAL NOT NULL,
    recorded INTEGER NOT NULL,
    dropped INTEGER NOT NULL,
    lost_hold REAL
);
INSERT INTO "heartbeats" VALUES('heartbeat-0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f','33333333-3333-4333-8333-333333333333',10,1700000000.5,'0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f','server-1','0.1.0',900.0,1000.0,60.0,0,0,NULL);
CREATE TABLE holds (
    name TEXT PRIMARY KEY NOT NULL,
    uid TEXT NOT NULL,
    resource_version INTEGER NOT NULL,
    created REAL NOT NULL,
    worker TEXT NOT NULL,
    server TEXT NOT NULL,
    config TEXT NOT NULL,
    pools TEXT NOT NULL,
    acquired REAL NOT NULL,
    renewed REAL NOT NULL,
    duration REAL NOT NULL
);
INSERT INTO "holds" VALUES('hold-0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f-b2254292a23049b20895d468a04ad69a','44444444-4444-4444-8444-444444444444',4,1700000000.5,'0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f','server-1','rendered-worker-0123456789abcdef0123456789abcdef','["worker", "infra"]',1000.0,1000.0,100.0);
CREATE TABLE objects (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    uid TEXT NOT NULL,
    resource_version INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    created REAL NOT NULL,
    metadata TEXT NOT NULL,
    UNIQUE (kind, name)
);
INSERT INTO "objects" VALUES(1,'MachineConfig','rendered-worker-0123456789abcdef0123456789abcdef','55555555-5555-4555-8555-555555555555',1,1,1700000000.5,'{"labels":{"mcs.internal/pool":"worker"}}');
INSERT INTO "objects" VALUES(2,'MachineConfigPool','worker','66666666-6666-4666-8666-666666666666',2,1,1700000000.5,'{}');
INSERT INTO "objects" VALUES(3,'Node','n1','77777777-7777-4777-8777-777777777777',3,1,1700000000.5,'{"annotations":{"a":"\u00fc"}}');
CREATE TABLE sequence (one INTEGER PRIMARY KEY CHECK (one = 1), latest INTEGER NOT NULL);
INSERT INTO "sequence" VALUES(1,10);
CREATE INDEX boot_leases_by_pool ON boot_leases (pool, fetched);
CREATE INDEX boot_leases_by_fetch ON boot_leases (fetched, name);
COMMIT;
