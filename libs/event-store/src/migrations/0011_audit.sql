-- Who did what: every change by a management caller, every read of personal data, also refused ones. No claims,
-- codes or tokens. Rows are only ever added.
create table audit (
  -- Chosen by the writer, so that a row whose write was lost on its way can be written again and stays one.
  id          uuid        primary key,
  recorded_at timestamptz not null default now(),
  principal   text        collate "C" not null,
  client      text        collate "C",
  action      text        collate "C" not null,
  object      text        collate "C",
  outcome     text        collate "C" not null,
  request_id  text        collate "C",
  -- How many refusals of unauthenticated callers one row stands for.
  count       integer     not null default 1
);
create index audit_by_time on audit (recorded_at, id);
create index audit_by_principal on audit (principal, recorded_at, id);
create index audit_by_client on audit (client, recorded_at, id) where client is not null;
create index audit_by_action on audit (action, recorded_at, id);
create index audit_by_object on audit (object, recorded_at, id) where object is not null;
create index audit_by_outcome on audit (outcome, recorded_at, id);

-- Retention, as the owner of the table: the service's own role deletes nothing here, and nobody who has taken it over can
-- remove what is younger than thirty days.
create function remove_old_audit(days integer) returns integer
  language sql volatile security definer set search_path from current
as $$
  with removed as (
    delete from audit where id in (
      select id from audit where recorded_at < now() - make_interval(days => greatest(days, 30))
      order by recorded_at limit 5000)
    returning 1)
  select count(*)::integer from removed
$$;
revoke all on function remove_old_audit(integer) from public;

-- Least privilege, as in 0001:
--   grant select, insert on audit                               to app;
--   grant execute        on function remove_old_audit(integer)  to app;
