-- Who has handled an event knows its position, and goes on behind it. The rows stand in nearly this order: a block range
-- index has a few bytes for each 128 pages and costs appends nothing. Operators of large stores may build it beforehand,
-- with `create index concurrently`.
create index if not exists events_by_position on events using brin (position) with (autosummarize = on);
