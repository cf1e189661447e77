-- Lists in one state: its name and the time of expiry in one text, so that those whose time has come stand together. An
-- expression and not a column as in 0006: adding a stored column writes the whole table anew and keeps readers and
-- writers out meanwhile; building an index lets readers in. Operators of large stores may build these beforehand, with
-- `create index concurrently`, which lets writers in as well. The texts are those of state-list-statement.ts.
create index if not exists offers_by_state on streams
  (((case when state ? 'isPublic' and state->>'status' = 'open' then 'online' else state->>'status' end)
    || ' ' || (state->>'expiresAt')) collate "C", stream_id)
  where category = 'offer';
create index if not exists authorization_requests_by_status on streams
  (((state->>'status') || ' ' || (state->>'expiresAt')) collate "C", stream_id)
  where category = 'authorization_request';
