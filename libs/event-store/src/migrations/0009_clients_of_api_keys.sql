-- Keys belong to a client, within which they are changed. Null for keys of before: each is a client of its own.
alter table api_keys add column client text;
