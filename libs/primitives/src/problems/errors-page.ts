import { catalogue } from './catalogue';

/** The catalogue as a page of the documentation, by status and name. */
export function errorsPage(): string {
  const entries = Object.entries(catalogue).sort(
    ([a, one], [b, other]) => one.status - other.status || (a < b ? -1 : 1),
  );
  const rows = entries.map(
    ([slug, { title, status, remedy, example }]) =>
      `| ${status} | ${title} | \`${slug}\` | ${remedy.replaceAll('|', '\\|')} | ${shown(example)} |`,
  );
  return [
    '# Errors of the management API',
    '',
    '<!-- Generated from libs/primitives/src/problems/catalogue.ts; change it there. -->',
    '',
    'Every error is a problem document (RFC 9457) with the media type `application/problem+json`. Its `type` is the',
    'address `<public url>/problems/<slug>` of a page with the same text as below, `title` is the name, `detail` says what',
    'happened this time (of several faults it names the first five), `remedy` what to do, and `violations` lists each fault (the',
    'first hundred) with its JSON Pointer where there are any.',
    '',
    'Statuses: 400 the request itself is invalid; 404 what it names does not exist; 409 it conflicts with the present',
    'state; 422 it breaks a stored rule; 502 another server failed; 500 the configuration of this service contradicts itself.',
    '',
    'The examples name things by what is the matter with them: `a-draft` is a template that is not published, `used` the state of',
    'an earlier request, `not-fetched` a credential that no wallet has fetched. `membership` is a published template for',
    '`{"given_name": "Erika"}` which ends in 2099, and `order-1` an offer.',
    '',
    '| status | name | slug | remedy | example |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

/** A request as code, a situation in words as text. */
function shown(example: string): string {
  return /^[A-Z]+ \//.test(example) ? `\`${example}\`` : example;
}
