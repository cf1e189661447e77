-- Credentials in the order of issue; what was not issued yet is not in the index. An expression, as in 0007: operators of large
-- stores may build it beforehand. It is that of issue-list-statement.ts.
create index if not exists credentials_by_issue on streams
  (((case category when 'credential' then state->>'issuedAt' end) collate "C"), stream_id)
  where (case category when 'credential' then state->>'issuedAt' end) is not null;
