import { validated } from '@app/http';
import { PROBLEM_OPTIONS, Problem, problemDocument, problemOf, type ProblemOptions } from '@app/problem-details';
import { Described } from '@app/openapi';
import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ArrayMaxSize, ArrayNotEmpty, IsArray } from 'class-validator';
import { PrepareCredentialBody } from './credentials.dto';
import { credentialView } from './credentials.controller';
import { PrepareCredential } from './credentials.handlers';
import { credentialBatchDescription } from './credential-batch.openapi';

const mostItems = 1000;
/** Offers that are worked on at the same time; their units of work share statements. */
const lanes = 32;

export class CredentialBatchBody {
  /** Each as in `POST /v0/credentials`. */
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(mostItems)
  readonly credentials!: unknown[];
}

interface Item {
  readonly index: number;
  readonly value: unknown;
}

/** Many credentials by one request; each succeeds or fails on its own. */
@Controller('v0/credentials/batch')
@Described(credentialBatchDescription)
export class CredentialBatchController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(PROBLEM_OPTIONS) private readonly problems: ProblemOptions,
  ) {}

  /** One result for each item, in the order of the request. */
  @Post()
  @HttpCode(200)
  async prepare(@Body() { credentials }: CredentialBatchBody): Promise<unknown> {
    const results: unknown[] = [];
    const queue = [...byOffer(credentials).values()];
    const lane = async (): Promise<void> => {
      for (let items = queue.shift(); items; items = queue.shift()) {
        // Credentials of one offer follow one another: they change the same offer.
        for (const { index, value } of items) results[index] = await this.prepareOne(index, value);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return { items: results };
  }

  private async prepareOne(index: number, value: unknown): Promise<unknown> {
    try {
      const credential = await this.commands.execute(new PrepareCredential(bodyOf(value)));
      return { index, status: 201, credential: credentialView(credential) };
    } catch (error) {
      const problem = problemOf(error);
      if (!problem) throw error;
      const document = problemDocument(problem, this.problems.publicUrl, `/v0/credentials/batch#/credentials/${index}`);
      return { index, status: problem.status, problem: document };
    }
  }
}

function bodyOf(value: unknown): PrepareCredentialBody {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return validated(PrepareCredentialBody, value);
  throw new Problem('validation-failed', 'Every item of credentials must be a JSON object.');
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
