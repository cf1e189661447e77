-- A used value may remember a few sealed bytes for as long as it is kept: the answer that belongs to an idempotency key.
alter table consumed add column note text;
