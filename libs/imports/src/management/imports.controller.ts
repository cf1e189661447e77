import { notePersonalData } from '@app/access';
import { approvalReply } from '@app/approvals';
import type { Listed } from '@app/event-store';
import {
  type Answer,
  created,
  currentPrincipal,
  entityTag,
  HttpReply,
  Implements,
  type Input,
  Resource,
} from '@app/http';
import type { OfferDelivery } from '@app/mail';
import { Problem } from '@app/primitives/problems';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { credentialIdOf, type Import, type Mailing } from '../import';
import { csvLine, csvSeparators, byteOrderMark, type CsvSeparator } from './csv-output';
import { imports } from './imports.contract';
import { GetColumns, MapImport } from './columns.handlers';
import type { ImportView } from './import-changes.handlers';
import { CountHandovers, MailImport, StopImportMails } from './import-mails.handlers';
import { FindTargets, GetImport, ListImports, MoveImport, ReceiveImport, StartImport } from './imports.handlers';
import { CorrectRow, GetRow, ListRows, type OpenedRow } from './rows.handlers';
import { ImportResults } from './import-results';
import { faultText } from '../rows/row-checks';
import type { HandoverCounts } from '../rows/row-handovers';

@Resource(imports)
export class ImportsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly results: ImportResults,
  ) {}

  @Implements(imports.receive)
  async receive({ query: { templateId }, file }: Input<typeof imports.receive>): Promise<HttpReply> {
    const received = await this.commands.execute(new ReceiveImport(templateId, file.bytes));
    const { body, headers } = created(`/v0/imports/${received.importId}`, viewOf(received));
    return new HttpReply(202, body, headers);
  }

  @Implements(imports.list)
  async list({ query }: Input<typeof imports.list>): Promise<Answer<typeof imports.list>> {
    const { items, nextCursor } = await this.queries.execute(new ListImports(query.page));
    return { items: items.map(({ id, state }: Listed<Import>) => membersOf(id, state)), nextCursor };
  }

  @Implements(imports.sample)
  async sample({ query: { templateId, separator } }: Input<typeof imports.sample>): Promise<HttpReply> {
    const targets = await this.queries.execute(new FindTargets(templateId));
    const between = csvSeparators[separator ?? 'comma'];
    const lines = [targets.map(({ labels: [label] }) => label), targets.map(({ example }) => example)];
    return csvReply('sample.csv', byteOrderMark + lines.map((line) => csvLine(line, between)).join(''));
  }

  @Implements(imports.get)
  async get({ params: { importId } }: Input<typeof imports.get>): Promise<HttpReply> {
    const view = await this.queries.execute(new GetImport(importId));
    const isStarted = view.found.startedAt !== undefined;
    return reply(view, isStarted ? await this.queries.execute(new CountHandovers(importId)) : undefined);
  }

  @Implements(imports.mapping)
  async mapping({ params: { importId } }: Input<typeof imports.mapping>): Promise<HttpReply> {
    const { stored, columns, targets } = await this.queries.execute(new GetColumns(importId));
    const view: Answer<typeof imports.mapping> = {
      columns: columns.headers.map((header, index) => {
        const to = columns.columns[index];
        return { column: index + 1, header, ...(to != null && { to }) };
      }),
      targets: targets.map(({ to, labels: [label], required }) => ({ to, label, required })),
      ...(columns.locale !== undefined && { locale: columns.locale }),
    };
    return new HttpReply(200, view, { ETag: entityTag(stored.version) });
  }

  @Implements(imports.map)
  async map({ params: { importId }, body, conditions }: Input<typeof imports.map>): Promise<HttpReply> {
    const { columns: given, locale } = body;
    const columns: (string | null)[] = [];
    // Of a column that is given twice, the last counts.
    for (const { column, to } of given) columns[column - 1] = to;
    const mapping = { columns: Array.from(columns, (to) => to ?? null), ...(locale !== undefined && { locale }) };
    return reply(await this.commands.execute(new MapImport(importId, mapping, conditions)));
  }

  @Implements(imports.rows)
  async rows({ params: { importId }, query }: Input<typeof imports.rows>): Promise<Answer<typeof imports.rows>> {
    const { items, nextCursor } = await this.queries.execute(
      new ListRows(importId, query.page, query.state, takenIn(query.taken)),
    );
    return { items: items.map(rowView), nextCursor };
  }

  @Implements(imports.row)
  async row({ params: { importId, row } }: Input<typeof imports.row>): Promise<HttpReply> {
    return rowReply(await this.queries.execute(new GetRow(importId, rowIn(importId, row))));
  }

  @Implements(imports.correct)
  async correct({ params: { importId, row }, body, conditions }: Input<typeof imports.correct>): Promise<HttpReply> {
    const values = new Map(body.values.map(({ column, value }) => [column, value]));
    return rowReply(await this.commands.execute(new CorrectRow(importId, rowIn(importId, row), values, conditions)));
  }

  @Implements(imports.start)
  async start({ params: { importId }, conditions }: Input<typeof imports.start>): Promise<HttpReply> {
    const started = await this.commands.execute(new StartImport(importId, conditions));
    return started.approval ? approvalReply(started.approval) : reply(started);
  }

  @Implements(imports.pause)
  async pause({ params: { importId }, conditions }: Input<typeof imports.pause>): Promise<HttpReply> {
    return reply(await this.commands.execute(new MoveImport(importId, 'pause', conditions)));
  }

  @Implements(imports.resume)
  async resume({ params: { importId }, conditions }: Input<typeof imports.resume>): Promise<HttpReply> {
    return reply(await this.commands.execute(new MoveImport(importId, 'resume', conditions)));
  }

  @Implements(imports.cancel)
  async cancel({ params: { importId }, conditions }: Input<typeof imports.cancel>): Promise<HttpReply> {
    return reply(await this.commands.execute(new MoveImport(importId, 'cancel', conditions)));
  }

  @Implements(imports.mail)
  async mail({ params: { importId }, body: { locale } }: Input<typeof imports.mail>): Promise<HttpReply> {
    return new HttpReply(202, viewOf(await this.commands.execute(new MailImport(importId, locale))));
  }

  @Implements(imports.stopMails)
  async stopMails({
    params: { importId },
  }: Input<typeof imports.stopMails>): Promise<Answer<typeof imports.stopMails>> {
    return { cancelled: await this.commands.execute(new StopImportMails(importId)) };
  }

  @Implements(imports.result)
  async result({ params: { importId }, query: { separator } }: Input<typeof imports.result>): Promise<HttpReply> {
    const stored = await this.queries.execute(new GetImport(importId));
    notePersonalData();
    const { scopes, templates } = currentPrincipal() ?? {};
    const isLimited = templates?.get('offers:deliver')?.has(stored.found.templateId) === false;
    const withLinks = scopes?.has('offers:deliver') === true && !isLimited;
    return csvReply(
      `import-${importId}.csv`,
      this.results.read(stored, { separator: csvSeparators[separator ?? ('comma' satisfies CsvSeparator)], withLinks }),
    );
  }
}

function csvReply(name: string, body: unknown): HttpReply {
  return new HttpReply(200, body, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}"`,
    'Cache-Control': 'no-store',
  });
}

function rowIn(importId: string, row: string): number {
  if (/^[1-9]\d{0,6}$/.test(row)) return Number(row);
  throw new Problem('not-found', `The import ${importId} has no such row.`);
}

function takenIn(asked: 'true' | 'false' | undefined): boolean | undefined {
  return asked === undefined ? undefined : asked === 'true';
}

function reply(view: ImportView, handovers?: HandoverCounts): HttpReply {
  return new HttpReply(
    200,
    { ...viewOf(view), ...(handovers && countsOf(handovers)) },
    { ETag: entityTag(view.version) },
  );
}

function rowReply(row: OpenedRow): HttpReply {
  return new HttpReply(200, rowView(row), { ETag: entityTag(row.version) });
}

function viewOf({ importId, found, counts }: ImportView): Answer<typeof imports.get> {
  const { ready = 0, faulty = 0, duplicate = 0, created: made = 0, failed = 0, unchecked = 0 } = counts;
  const { 'already-offered': offered = 0, 'already-issued': issued = 0 } = counts;
  const totals = {
    rows: found.rows ?? 0,
    ...{ unchecked, ready, faulty, duplicate, 'already-offered': offered, 'already-issued': issued },
    ...{ created: made, failed },
  };
  return { ...membersOf(importId, found), totals, ...(found.mailing && { mailing: mailingOf(found.mailing) }) };
}

function mailingOf({ askedAt, endedAt, isStopped, counts }: Mailing): Answer<typeof imports.get>['mailing'] {
  const { queued = 0, mailed = 0, taken = 0, 'not-open': notOpen = 0, 'no-address': noAddress = 0 } = counts;
  return {
    state: endedAt === undefined ? 'Queueing' : isStopped === true ? 'Stopped' : 'Queued',
    askedAt,
    ...(endedAt !== undefined && { endedAt }),
    queued,
    skipped: { mailed, taken, 'not-open': notOpen, 'no-address': noAddress },
  };
}

function countsOf({ offers, mails }: HandoverCounts): Pick<Answer<typeof imports.get>, 'offers' | 'mails'> {
  const { Open = 0, Redeemed = 0, Expired = 0, Withdrawn = 0, Locked = 0 } = offers;
  const { Queued = 0, Sent = 0, Failed = 0, Bounced = 0, Cancelled = 0 } = mails;
  return {
    offers: { Open, Redeemed, Expired, Withdrawn, Locked },
    mails: { Queued, Sent, Failed, Bounced, Cancelled },
  };
}

function membersOf(importId: string, found: Import): Answer<typeof imports.list>['items'][number] {
  const { approvalId, templateId, status, words, pausedFor, readAs, createdAt, startedAt, endedAt, eraseAt, erasedAt } =
    found;
  return {
    importId,
    templateId,
    state: status,
    ...(words !== undefined && { reason: words }),
    ...(pausedFor !== undefined && { pausedFor }),
    ...(readAs !== undefined && { readAs }),
    ...(approvalId !== undefined && { approvalId }),
    createdAt,
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
    eraseAt,
    ...(erasedAt !== undefined && { erasedAt }),
  };
}

function rowView(opened: OpenedRow): Answer<typeof imports.row> {
  const { importId, row, state, version, twin, cells = [], faults = [], reference, headers, handover } = opened;
  return {
    row,
    state,
    values: cells.map(String),
    faults: faults.map((fault) => ({
      ...(fault.column !== undefined && { column: fault.column }),
      ...(fault.to !== undefined && { to: fault.to }),
      message: faultText(row, fault, headers),
    })),
    ...(twin !== null && { sameAs: twin }),
    ...(reference !== undefined && { reference }),
    ...(state === 'created' && { credentialId: credentialIdOf(importId, row) }),
    ...(handover && { offerState: handover.offerState as Answer<typeof imports.row>['offerState'] }),
    ...(handover?.mail && { mail: deliveryView(handover.mail) }),
    ...(handover?.letter && { letter: deliveryView(handover.letter) }),
    etag: entityTag(version),
  };
}

function deliveryView({ deliveryId, status, reason }: OfferDelivery): Answer<typeof imports.row>['mail'] {
  return { deliveryId, status, ...(reason !== null && { reason }) };
}
