-- Issued credentials that one key has signed, and those with one status in their status list, each in the order of issue.
-- Expressions, as in 0021: operators of large stores may build these indexes beforehand. They are those of
-- issue-list-statement.ts.
create index if not exists credentials_by_signing_key on streams
  (((case category when 'credential' then state->>'signingKeyId' end) collate "C"),
   ((case category when 'credential' then state->>'issuedAt' end) collate "C"), stream_id)
  where (case category when 'credential' then state->>'signingKeyId' end) is not null;
create index if not exists credentials_by_validity on streams
  (((case category when 'credential' then state->>'validity' end) collate "C"),
   ((case category when 'credential' then state->>'issuedAt' end) collate "C"), stream_id)
  where (case category when 'credential' then state->>'validity' end) is not null;
