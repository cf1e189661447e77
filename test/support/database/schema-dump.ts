import type { SqlDriver } from '@app/event-store';

/** What a database is made of, one text for each table and function, in the order of their names; not what is in it. */
export async function schemaDump(driver: SqlDriver): Promise<string> {
  const parts = await driver.query<{ text: string }>({
    name: 'schema-dump',
    text: `
      with own as (select 'public'::regnamespace::oid as schema),
      described as (
        select attrelid, string_agg(format('  %I %s', attname, concat_ws(' ',
            format_type(atttypid, atttypmod),
            (select format('collate %I', collname) from pg_collation where oid = attcollation and collname <> 'default'),
            case when attidentity = 'a' then 'generated always as identity'
              when attgenerated = 's' then format('generated always as (%s) stored', pg_get_expr(adbin, adrelid))
              else 'default ' || pg_get_expr(adbin, adrelid) end,
            case when attnotnull then 'not null' end)), E',\\n' order by attnum) as columns
        from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
        where attnum > 0 and not attisdropped group by attrelid),
      constraints as (
        select conrelid, string_agg(format('  constraint %I %s', conname, pg_get_constraintdef(oid)), E',\\n' order by conname) as lines
        from pg_constraint where contype <> 'n' and contype <> 't' group by conrelid),
      further as (
        select indrelid, pg_get_indexdef(indexrelid) as line from pg_index
          where not exists (select from pg_constraint where conindid = indexrelid)
        union all select tgrelid, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal),
      made as (
        select 1 as kind, relname::text as name, format(E'create %stable %I (\\n%s\\n)%s;%s',
          case relpersistence when 'u' then 'unlogged ' end, relname, concat_ws(E',\\n', columns, lines),
          ' with (' || array_to_string(reloptions, ', ') || ')',
          (select string_agg(E'\\n' || line || ';', '' order by line) from further where indrelid = pg_class.oid)) as text
        from pg_class join described on attrelid = pg_class.oid left join constraints on conrelid = pg_class.oid, own
        where relnamespace = schema and relkind in ('r', 'p')
        union all
        select 2, proname::text, format(E'%s;\\n-- %s', rtrim(pg_get_functiondef(pg_proc.oid), E'\\n'),
          case when has_function_privilege('public', pg_proc.oid, 'execute') then 'for everyone' else 'for its owner' end)
        from pg_proc, own where pronamespace = schema)
      select text from made order by kind, name collate "C"`,
    values: [],
  });
  return `${parts.map(({ text }) => text.trim()).join('\n\n')}\n`;
}
