-- Streams whose personal data is to be erased at a time. The text is that of due-erasures.ts.
create index if not exists streams_to_erase on streams (((state->>'eraseAt') collate "C"), stream_id) 
  where state ? 'eraseAt' and not state ? 'erasedAt';
