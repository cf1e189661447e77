-- Lists of authorizations with one status, as 0007 has them for offers and requests: undecided ones whose time has come stand
-- together. The text is that of state-list-statement.ts.
create index if not exists authorizations_by_status on streams
  (((state->>'status') || ' ' || (state->>'completableUntil')) collate "C", stream_id)
  where category = 'authorization';
