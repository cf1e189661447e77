-- How often a client failed in the present minute, shared by the replicas. Unlogged: losing it in a crash costs nothing.
create unlogged table rate_limits (
  name text not null,
  client text not null,
  window_start timestamptz not null,
  count integer not null,
  primary key (name, client, window_start)
);
create index rate_limits_window on rate_limits (window_start);
