-- How the database's clock has gone, look by look. One row.
create table clock_watch (
  singleton    boolean     primary key default true check (singleton),
  -- What the clock showed at the last look.
  seen_at      timestamptz not null,
  -- Since when each look came within an hour of the one before, and not before it.
  steady_since timestamptz not null,
  -- Whether it has jumped, or nobody looked for more than an hour, and it has not gone steadily for six hours since.
  doubted      boolean     not null default false
);

-- Looks at the clock. Belongs to the owner of the table: whoever has taken the service's role over cannot make a clock
-- that jumped look steady.
create function look_at_clock() returns table (steady boolean, doubted boolean)
  language sql volatile security definer set search_path from current
as $$
  insert into clock_watch as watch (seen_at, steady_since) values (clock_timestamp(), clock_timestamp())
  on conflict (singleton) do update set
    seen_at = excluded.seen_at,
    steady_since = case
      when excluded.seen_at between watch.seen_at - interval '1 minute' and watch.seen_at + interval '1 hour'
      then watch.steady_since else excluded.seen_at end,
    doubted = case
      when excluded.seen_at between watch.seen_at - interval '1 minute' and watch.seen_at + interval '1 hour'
      then watch.doubted and watch.steady_since > excluded.seen_at - interval '6 hours' else true end
  returning watch.steady_since <= watch.seen_at - interval '6 hours', watch.doubted
$$;
revoke all on function look_at_clock() from public;

-- As in 0011, and only by a clock that has just been looked at and has gone steadily for six hours.
create or replace function remove_old_audit(days integer) returns integer
  language sql volatile security definer set search_path from current
as $$
  with removed as (
    delete from audit where id in (
      select id from audit where recorded_at < now() - make_interval(days => greatest(days, 30))
        and exists (
          select from clock_watch
          where seen_at between now() - interval '1 hour' and now() + interval '1 minute'
            and steady_since <= now() - interval '6 hours')
      order by recorded_at limit 5000)
    returning 1)
  select count(*)::integer from removed
$$;
