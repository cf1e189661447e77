import { awaitsApproval } from '@app/approvals';
import {
  closed,
  component,
  dateTime,
  eg,
  exampleOf,
  integer,
  is,
  listOf,
  ListQuery,
  resource,
  text,
  texts,
} from '@app/http';
import { deliveryStates, type SkipReason } from '@app/mail';
import { type Language, languages } from '@app/pages';
import { hasAtMost } from '@app/primitives/json';
import { importStates, holdReasons } from '../import';
import { type ImportLocale, importLocales } from '../mapping/locales';
import { longestCell, mostColumns, mostTableRows } from '../reading/table';
import { rowStates, type RowState } from '../rows/import-rows';
import { csvSeparators, type CsvSeparator } from './csv-output';

/** `text/csv`, and what Office calls its workbooks. */
export const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

class ReceiveQuery {
  @is.Required('A published template: of each row a credential of it is offered.', is.Text(1, 256))
  readonly templateId!: string;
}

class SampleQuery {
  @is.Required('A published template.', is.Text(1, 256))
  readonly templateId!: string;
  @is.Optional('What stands between the cells; `comma` when absent.', is.OneOf(Object.keys(csvSeparators)))
  readonly separator?: CsvSeparator;
}

class ResultQuery {
  @is.Optional('What stands between the cells; `comma` when absent.', is.OneOf(Object.keys(csvSeparators)))
  readonly separator?: CsvSeparator;
}

class RowsQuery extends ListQuery {
  @is.Optional('Only those in this state.', is.OneOf(rowStates))
  readonly state?: RowState;
  @is.Optional(
    '`true`: only rows whose offer was taken by a wallet; `false`: only rows that are offered and were not taken. A page may have fewer rows.',
    is.OneOf(['true', 'false']),
  )
  readonly taken?: 'true' | 'false';
}

class MailBody {
  @is.Required('`email`. Letters are printed by `POST /v0/offers/letters`.', is.OneOf(['email']))
  readonly channel!: 'email';
  @is.Optional('The language of the mails; that of each recipient when absent.', is.OneOf(languages))
  readonly locale?: Language;
}

const isColumn = (value: unknown) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= mostColumns;
const columnConstraint = is.Check('isColumn', `must be the place of a column, from 1 to ${mostColumns}`, isColumn);
const columnShown = is.Shown({ type: 'integer', minimum: 1, maximum: mostColumns, examples: [1, 2] });

class ColumnBody {
  @is.Required('The place of the column in the file, from 1.', columnConstraint, columnShown)
  readonly column!: number;
  @is.Required(
    'What it is, by the `to` of a target.',
    is.Text(1, 1024),
    is.Shown({ examples: ['/given_name', 'reference'] }),
  )
  readonly to!: string;
}

class MappingBody {
  @is.Required('Columns that are not named are left out.', is.NestedList(() => ColumnBody, mostColumns))
  readonly columns!: readonly ColumnBody[];
  @is.Optional(
    'How dates and numbers are written besides `2026-12-31` and `1.5`, which are read always: `de` is 31.12.2026 and 1,5.',
    is.OneOf(importLocales),
  )
  readonly locale?: ImportLocale;
}

class CellBody {
  @is.Required('The place of the column in the file, from 1.', columnConstraint, columnShown)
  readonly column!: number;
  @is.Required(
    'What stands in the cell from now on; empty for nothing.',
    is.Check(
      'isCell',
      `must be a string of at most ${longestCell} characters`,
      (value) => typeof value === 'string' && hasAtMost(value, longestCell),
    ),
    is.Shown({ ...text, maxLength: longestCell, examples: ['Erika', '1990-12-31'] }),
  )
  readonly value!: string;
}

class CorrectionBody {
  @is.Required('The cells that change.', is.NestedList(() => CellBody, mostColumns))
  readonly values!: readonly CellBody[];
}

const count = (words: string) => eg(0, { ...integer, minimum: 0, description: words });
const totals = closed({
  rows: eg(120, { ...integer, minimum: 0, description: 'With data, below the names of the columns.' }),
  unchecked: count('Not checked yet.'),
  ready: eg(117, { ...integer, minimum: 0, description: 'To be offered.' }),
  faulty: eg(3, { ...integer, minimum: 0, description: 'To be corrected.' }),
  duplicate: count('An earlier row of the file has the same reference, or, without one, says the same.'),
  'already-offered': count('There is an open offer of the template with the same reference.'),
  'already-issued': count('A wallet has a credential of the template with the same reference.'),
  created: count('Offered by this import.'),
  failed: count('Refused when it was to be offered.'),
});

const skipped = {
  mailed: count('A mail is on its way, or was sent before.'),
  taken: count('A wallet has the credential.'),
  'not-open': count('The offer expired, or was withdrawn or locked.'),
  'no-address': count('The row has no e-mail address.'),
} satisfies Record<SkipReason, unknown>;
const states = ['Open', 'Redeemed', 'Expired', 'Withdrawn', 'Locked'] as const;
const perState = <S extends string>(names: readonly S[]) =>
  closed(
    Object.fromEntries(names.map((name) => [name, eg(0, { ...integer, minimum: 0 })])) as Record<
      S,
      ReturnType<typeof count>
    >,
  );
const handover = {
  'mailing?': {
    description: 'Once its mails were asked for.',
    ...closed({
      state: eg('Queued', {
        enum: ['Queueing', 'Queued', 'Stopped'],
        description: '`Queueing`: row by row, once all are offered.',
      }),
      askedAt: eg('2026-11-20T10:05:00.000Z', dateTime),
      'endedAt?': dateTime,
      queued: eg(115, { ...integer, minimum: 0 }),
      skipped: { description: 'Rows of which no mail was queued.', ...closed(skipped) },
    }),
  },
  'offers?': {
    description: 'Of `GET`, once it was started: how many of its offers are in each state.',
    ...perState(states),
  },
  'mails?': {
    description: 'Of `GET`, once it was started: how many of its offers have a last mail in each state.',
    ...perState(deliveryStates),
  },
};

const importId = 'b7ad7f0a-1c4f-4f6c-9f0e-3a1b2c4d5e6f';
const members = {
  importId: eg(importId),
  templateId: eg('membership'),
  state: eg('Checked', {
    enum: importStates,
    description:
      '`Reading`: the file is read, and each row checked; `Checked`: it waits for its start; `Failed`: `reason` says why it cannot be read.',
  }),
  'reason?': { ...text, description: 'Why it has failed, in words for people.' },
  'pausedFor?': {
    enum: holdReasons,
    description: '`requested` by a caller; `suspended`: the tenant is; `template`: it cannot be issued now.',
  },
  'readAs?': eg('UTF-8, separated by semicolons', { ...text, description: 'How the file was read.' }),
  'approvalId?': {
    ...text,
    description:
      'While it is `Checked`: the approval that its start awaits, or that was rejected; starting it then asks again.',
  },
  createdAt: eg('2026-11-20T10:00:00.000Z', dateTime),
  'startedAt?': dateTime,
  'endedAt?': dateTime,
  eraseAt: eg('2026-11-27T10:00:00.000Z', { ...dateTime, description: 'When all that comes from the file is erased.' }),
  'erasedAt?': dateTime,
};
const listed = component('ListedImport', closed(members));
const one = component('Import', closed({ ...members, totals, ...handover }));

const target = closed({
  to: eg('/given_name', {
    ...text,
    description: 'A claim, by its JSON Pointer; `reference`, `expiresAt`; or `email` and `name` of the recipient.',
  }),
  label: eg('Given name'),
  required: eg(true, { type: 'boolean' } as const),
});
const column = closed({
  column: eg(1, integer),
  header: eg('Vorname', { ...text, description: 'As the file calls it.' }),
  'to?': eg('/given_name', { ...text, description: 'Absent: it is left out.' }),
});
const mapping = component(
  'ImportMapping',
  closed({
    columns: eg([exampleOf(column)], { type: 'array', items: column }),
    targets: eg([exampleOf(target)], { type: 'array', description: 'What a column can be.', items: target }),
    'locale?': { enum: importLocales },
  }),
);

const fault = closed({
  'column?': eg(1, { ...integer, description: 'Absent when it is in no column.' }),
  'to?': eg('/given_name'),
  message: eg('Row 5, column “Vorname”: is required', { ...text, description: 'For people.' }),
});
const delivery = closed({
  deliveryId: eg('b9a1d1f0-6f0e-4f5e-9a53-1b8f4c1f0c11'),
  status: eg('Sent', { enum: deliveryStates }),
  'reason?': { ...text, description: 'As of its delivery.' },
});
const rowView = component(
  'ImportRow',
  closed({
    row: eg(5, { ...integer, description: 'As spreadsheets count: the first row of the file is 1.' }),
    state: eg('faulty', { enum: rowStates }),
    values: eg(['Erika', '1990-12-31'], {
      ...texts,
      description: 'By column; empty once the row is offered, and when it was erased.',
    }),
    faults: eg([exampleOf(fault)], { type: 'array', items: fault }),
    'sameAs?': { ...integer, description: 'Of a duplicate: the row that says the same.' },
    'reference?': { ...text, description: 'Of a row that was offered.' },
    'credentialId?': { ...text, description: 'Of a row that was offered; its offer has the same id.' },
    'offerState?': { enum: states, description: 'Of a row that was offered. `Redeemed`: a wallet has taken it.' },
    'mail?': { description: 'The last mail of its offer.', ...delivery },
    'letter?': { description: 'The last letter of its offer.', ...delivery },
    etag: eg('"2"', { ...text, description: 'For `If-Match` of a correction.' }),
  }),
);

const answer = { 200: { description: 'The import.', schema: one, etag: true } } as const;
const change = (id: string, move: string, summary: string, description: string) =>
  ({ id, route: `POST :importId/${move}`, summary, description, answers: answer, problems: ['conflict'] }) as const;

const shared = {
  path: 'v0/imports',
  area: 'credentials',
  tag: 'Imports',
  description:
    'Spreadsheets and CSV files of which credentials are offered, a row each, after somebody has looked at them.',
  parameters: {
    importId: { description: 'The id of the import.', schema: text, example: importId },
    row: { description: 'The row, as spreadsheets count.', schema: text, example: '5' },
  },
} as const;

export const imports = resource(shared, {
  receive: {
    id: 'createImport',
    makesNew: true,
    route: 'POST',
    summary: 'Send a file with the data of many persons',
    description:
      `A workbook (.xlsx) or CSV: in UTF-8, UTF-16 or Windows-1252, separated by semicolons, commas or tabs. Its first row has the names ` +
      `of the columns; below are at most ${mostTableRows} rows of at most ${mostColumns} columns. Columns that are called like claims are matched. ` +
      'Nothing is offered before the start.',
    query: ReceiveQuery,
    file: ['text/csv', workbookType, 'application/octet-stream', 'multipart/form-data'],
    bodyLimit: 'file',
    conditional: false,
    answers: { 202: { description: 'It is being read.', schema: one } },
    problems: ['template-not-found', 'template-not-published'],
  },
  list: listOf('listImports', 'List the imports, newest first', listed, ListQuery),
  sample: {
    id: 'getImportSample',
    route: 'GET sample.csv',
    summary: 'Get a file to begin with: the names of all columns, and an example',
    query: SampleQuery,
    conditional: false,
    answers: { 200: { description: 'CSV with two lines.', mediaTypes: ['text/csv'] } },
    problems: ['template-not-found', 'template-not-published'],
  },
  get: { id: 'getImport', route: 'GET :importId', summary: 'Get an import, with its totals', answers: answer },
  mapping: {
    id: 'getImportMapping',
    route: 'GET :importId/mapping',
    summary: 'Get the columns of an import, and what each is',
    answers: { 200: { description: 'The columns.', schema: mapping } },
    problems: ['conflict', 'template-not-found', 'template-not-published'],
  },
  map: {
    id: 'mapImport',
    route: 'PUT :importId/mapping',
    summary: 'Say what each column is',
    description: 'All rows are checked again.',
    body: MappingBody,
    examples: {
      two: {
        columns: [
          { column: 1, to: '/given_name' },
          { column: 2, to: 'reference' },
        ],
        locale: 'de',
      },
    },
    answers: answer,
    problems: ['conflict', 'template-not-found', 'template-not-published'],
  },
  rows: {
    ...listOf('listImportRows', 'List the rows of an import, with what is wrong with them', rowView, RowsQuery),
    route: 'GET :importId/rows',
    conditional: false,
  },
  row: {
    id: 'getImportRow',
    route: 'GET :importId/rows/:row',
    summary: 'Get a row of an import',
    answers: { 200: { description: 'The row.', schema: rowView, etag: true } },
    problems: ['conflict'],
  },
  correct: {
    id: 'correctImportRow',
    route: 'PATCH :importId/rows/:row',
    summary: 'Correct a row before it is offered',
    description:
      'It is checked at once. Send its `ETag` as `If-Match`, so that nobody undoes what another one has corrected.',
    body: CorrectionBody,
    examples: { name: { values: [{ column: 1, value: 'Erika' }] } },
    answers: { 200: { description: 'The row.', schema: rowView, etag: true } },
    problems: ['conflict', 'template-not-found', 'template-not-published', 'claims-not-checked'],
  },
  start: {
    ...change(
      'startImport',
      'start',
      'Offer a credential for each row that is ready',
      'The others are left out. After a change of the template all rows are checked again instead, and the answer is 409.',
    ),
    answers: { ...answer, 202: awaitsApproval },
    makesNew: true,
    freshness: true,
    problems: ['conflict', 'template-not-found', 'template-not-published'],
  },
  pause: change('pauseImport', 'pause', 'Stop offering for now', 'After the batch under way.'),
  resume: {
    ...change('resumeImport', 'resume', 'Go on offering', 'Where it has stopped.'),
    makesNew: true,
  },
  cancel: change('cancelImport', 'cancel', 'End an import', 'What was offered stays offered.'),
  mail: {
    id: 'mailImport',
    freshness: true,
    route: 'POST :importId/deliveries',
    scope: 'offers:deliver',
    makesNew: true,
    conditional: false,
    summary: 'Send the links of all its offers to their recipients',
    description:
      'Mails are queued of offers that are open, whose row has an e-mail address, and of which no mail is on its way or was sent; those that ' +
      'failed or were stopped are sent again. They go out as fast as `SERVICE__MAIL__RATE_PER_MINUTE` says, after mails that are asked for ' +
      'one by one. Asked again while it is done, nothing is done twice.',
    body: MailBody,
    examples: { all: { channel: 'email' }, german: { channel: 'email', locale: 'de' } },
    answers: { 202: { description: 'They are being queued.', schema: one } },
    problems: ['conflict', 'setting-missing'],
  },
  stopMails: {
    id: 'cancelImportDeliveries',
    route: 'POST :importId/cancel_deliveries',
    scope: 'offers:deliver',
    conditional: false,
    summary: 'Stop the mails of an import that are queued',
    description: 'What a mail server has taken cannot be called back.',
    answers: { 200: { description: 'How many were stopped.', schema: closed({ cancelled: eg(2, integer) }) } },
  },
  result: {
    id: 'getImportResult',
    route: 'GET :importId/result.csv',
    summary: 'Get what became of each row',
    description:
      'Row, reference, state and reason, the state of its offer (`Redeemed`: taken) and of its last mail, and for callers with the scope ' +
      '`offers:deliver` the link of the offer. Cells that a spreadsheet ' +
      'would calculate begin with an apostrophe.',
    query: ResultQuery,
    conditional: false,
    answers: { 200: { description: 'CSV in UTF-8.', mediaTypes: ['text/csv'] } },
  },
});
