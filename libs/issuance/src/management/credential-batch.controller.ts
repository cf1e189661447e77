import { inLanes } from '@app/primitives/awaitable';
import { AuditTrail } from '@app/access';
import {
  type Answer,
  Implements,
  type Input,
  Resource,
  shownTo,
  validated,
  bodyLimits,
  IdempotencyKeys,
  parseIdempotencyKey,
  PROBLEM_OPTIONS,
  problemOf,
  type ProblemOptions,
  HttpReply,
} from '@app/http';
import { shownLinks } from '@app/offers';
import { debugOf, Problem, problemDocument } from '@app/primitives/problems';
import { Inject } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { credentialBatches } from './credential-batch.contract';
import { credentialInputOf, PrepareCredentialBody } from './credentials.contract';
import { credentialView } from './credentials.controller';
import { PreparationLimits, PrepareCredential } from '../api';

/** Offers that are worked on at the same time; their units of work share statements. */
const lanes = 32;

interface Item {
  readonly index: number;
  readonly value: unknown;
}

type BatchResult = Answer<typeof credentialBatches.prepare>['items'][number];

/** Does the work for one item, unless an earlier request with the same key has. */
type Once = (index: number, work: () => Promise<HttpReply>) => Promise<HttpReply>;

/** Many credentials by one request; each succeeds or fails on its own. */
@Resource(credentialBatches)
export class CredentialBatchController {
  constructor(
    private readonly commands: CommandBus,
    private readonly keys: IdempotencyKeys,
    private readonly audit: AuditTrail,
    @Inject(PROBLEM_OPTIONS) private readonly problems: ProblemOptions,
  ) {}

  /** One result for each item, in the order of the request. */
  @Implements(credentialBatches.prepare)
  async prepare({
    body,
    idempotencyKey: key,
  }: Input<typeof credentialBatches.prepare>): Promise<Answer<typeof credentialBatches.prepare>> {
    const { credentials } = body;
    if (key === undefined) return { items: await this.prepareAll(credentials, (_index, work) => work()) };
    const fingerprints = this.keys.fingerprintsOf('credentials/batch', JSON.stringify(credentials));
    const items = await this.keys.inParts({ ...parseIdempotencyKey(key), fingerprints }, (once) =>
      this.prepareAll(credentials, once),
    );
    return { items };
  }

  private async prepareAll(credentials: readonly unknown[], once: Once): Promise<BatchResult[]> {
    const results: BatchResult[] = [];
    const limits = new PreparationLimits();
    await inLanes(byOffer(credentials).values(), lanes, async (items) => {
      // Credentials of one offer follow one another: they change the same offer.
      for (const { index, value } of items) {
        results[index] = await this.result(index, value, () => once(index, () => this.prepareOne(value, limits)));
      }
    });
    return results;
  }

  private async prepareOne(value: unknown, limits: PreparationLimits): Promise<HttpReply> {
    const { credential, links } = await this.commands.execute(
      new PrepareCredential(credentialInputOf(bodyOf(value)), limits),
    );
    return new HttpReply(201, { ...credentialView(credential), ...links });
  }

  private async result(index: number, value: unknown, work: () => Promise<HttpReply>): Promise<BatchResult> {
    try {
      const { status, body } = await work();
      // Stored answers are whole: each caller sees of them what its own key allows.
      return { index, status, credential: shownTo(shownLinks, body) as BatchResult['credential'] };
    } catch (error) {
      const problem = problemOf(error);
      if (!problem) throw error;
      await this.audit.refusedPart(error, problem, objectOf(value));
      const document = problemDocument(problem, this.problems.publicUrl, `/v0/credentials/batch#/credentials/${index}`);
      const debug = this.problems.verbose && { debug: debugOf(error) };
      return { index, status: problem.status, problem: { ...document, ...debug } };
    }
  }
}

function bodyOf(value: unknown): PrepareCredentialBody {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Problem('validation-failed', 'Every item of credentials must be a JSON object.');
  }
  const { bytes } = bodyLimits.management;
  if (Buffer.byteLength(JSON.stringify(value)) > bytes) {
    throw new Problem('payload-too-large', `The item is larger than ${bytes} bytes.`);
  }
  return validated(PrepareCredentialBody, value);
}

/** What an item that was refused was about, as far as it says so. */
function objectOf(value: unknown): string | null {
  const { credentialId, offerId } = (value ?? {}) as { readonly credentialId?: unknown; readonly offerId?: unknown };
  return [credentialId, offerId].find((id) => typeof id === 'string') ?? null;
}

/** The items in the order of the request, those of one offer together. */
function byOffer(values: readonly unknown[]): Map<unknown, Item[]> {
  const offers = new Map<unknown, Item[]>();
  for (const [index, value] of values.entries()) {
    const offerId = (value as { readonly offerId?: unknown } | null)?.offerId;
    const items = offers.get(offerId);
    if (items) items.push({ index, value });
    else offers.set(offerId, [{ index, value }]);
  }
  return offers;
}
