create table erasure_keys (
  stream_id text collate "C" not null,
  erasure_key bytea not null,
  made_at timestamp with time zone default now() not null,
  constraint erasure_keys_pkey PRIMARY KEY (stream_id)
);
CREATE INDEX erasure_keys_by_age ON public.erasure_keys USING btree (made_at);

create table erasures (
  stream_hash bytea not null,
  erased_at timestamp with time zone not null,
  constraint erasures_pkey PRIMARY KEY (stream_hash)
);
CREATE INDEX erasures_by_time ON public.erasures USING btree (erased_at);

create table followed_store (
  singleton boolean default true not null,
  id uuid default gen_random_uuid() not null,
  is_taken boolean default false not null,
  erased_upto timestamp with time zone default '-infinity'::timestamp with time zone not null,
  swept_upto timestamp with time zone default '-infinity'::timestamp with time zone not null,
  constraint followed_store_pkey PRIMARY KEY (singleton),
  constraint followed_store_singleton_check CHECK (singleton)
);

create table schema_migrations (
  number integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone default now() not null,
  constraint schema_migrations_pkey PRIMARY KEY (number)
);
