-- The store proves itself. A proof is the generation of the key (1 byte) and HMAC-SHA-256 over the content, see proofs.ts.
-- Null in rows that earlier releases write.
alter table events add column proof bytea;
-- The proof of the stream's last event, of which the next one makes part.
alter table streams add column head bytea;
alter table consumed add column proof bytea;

-- Signed digests of the events in the order in which they came, see checkpoint.ts. Rows are only ever added.
create table checkpoints (
  number  bigint  primary key check (number > 0),
  -- The lowest and the highest position of an event that it covers.
  lowest  bigint  not null,
  highest bigint  not null,
  -- Compact JWS; all that is said stands in its payload.
  signed  text    not null
);
create index checkpoints_by_reach on checkpoints (highest, lowest);

-- Least privilege, as in 0001:
--   grant select, insert on checkpoints to app;
