-- Approvals in one state, those of the issuer of the settings and of tenants; the text is that of state-list-statement.ts. The service needs no
-- other rights.
create index if not exists approvals_by_status on streams
  (category, (((state->>'status') || ' ' || (state->>'expiresAt')) collate "C"))
  where category = 'approval' or category like 'approval~%';
-- Of tenants, approvals expire as well. The predicate is that of due-expiries.ts, and serves that of the release before.
create index if not exists wide_tenant_streams_to_expire on streams (((state->>'expiresAt') collate "C"), stream_id)
  where (category like 'offer~%' or category like 'authorization_request~%' or category like 'approval~%')
    and state->>'status' in ('open', 'online', 'offline', 'pending', 'retrieved', 'rejected', 'withheld');
drop index tenant_streams_to_expire;
alter index wide_tenant_streams_to_expire rename to tenant_streams_to_expire;
