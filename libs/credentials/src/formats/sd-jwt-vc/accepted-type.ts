import type { JsonObject, JsonValue } from '@app/primitives/json';
import type { DcqlCredentialQuery } from '@app/openid4vc';
import { demand, Refusal, refusalReason } from '../../presentation-check';
import { otherType } from '../../presentation/presentation-conditions';
import type { AcceptedType } from '../../presentation/verified-credential';
import type { TypeInheritance, TypeReference } from '../../presentation/type-inheritance';
import { isTypeAddress } from './type-metadata';

/** What a credential says of its type. */
export interface StatedType extends TypeReference {
  /** `aka_vcts`, as the issuer gives them. */
  readonly others: readonly string[];
}

const MOST_TYPES = 100;

/** SD-JWT VC draft 19 §2.2.2.1. Throws `Refusal`. */
export function readStatedType(payload: JsonObject): StatedType {
  const { vct, aka_vcts: others = [] } = payload;
  demand(typeof vct === 'string' && vct !== '', 'the credential has no vct');
  demand(Array.isArray(others) && others.every(isType), 'the aka_vcts of the credential are not a list of types');
  demand(others.length <= MOST_TYPES, `the credential has more than ${MOST_TYPES} aka_vcts`);
  return { type: vct, others, integrity: payload['vct#integrity'] };
}

function isType(value: JsonValue): value is string {
  return typeof value === 'string' && value !== '';
}

/** How a credential may answer a query, before anybody has said that its issuer may issue such credentials. */
export class TypeCandidates {
  private readonly asked: readonly string[];
  /** Of the types that are asked for, those that the credential states. */
  private readonly stated: readonly AcceptedType[];

  constructor(
    private readonly credential: StatedType,
    query: DcqlCredentialQuery,
  ) {
    const { type: own, others } = credential;
    this.asked = query.format === 'dc+sd-jwt' ? query.meta.vct_values : [];
    const all: AcceptedType[] = [
      { type: own, by: 'own' },
      ...others.filter((type) => type !== own).map((type) => ({ type, by: 'aka_vcts' as const })),
    ];
    this.stated = all.filter(({ type }) => this.asked.includes(type));
  }

  /** For one of which the issuer has to be trusted before anything is fetched. */
  get judged(): readonly string[] {
    if (this.stated.length > 0) return this.stated.map(({ type }) => type);
    return this.mayInherit ? this.asked : [this.credential.type];
  }

  /** The only one there is; undefined when there are several, or metadata has to say. */
  get only(): AcceptedType | undefined {
    if (this.stated.length === 1) return this.stated[0];
    return this.stated.length === 0 && !this.mayInherit ? { type: this.credential.type, by: 'own' } : undefined;
  }

  /** Those that the credential states; without any, those that its type extends and that are asked for. Throws `Refusal`. */
  async *all(types: TypeInheritance, now: Date): AsyncGenerator<AcceptedType, void> {
    yield* this.stated;
    if (this.stated.length > 0) return;
    try {
      for await (const type of types.extendedBy(this.credential, now)) {
        if (this.asked.includes(type)) yield { type, by: 'extends' };
      }
    } catch (error) {
      throw error instanceof Refusal ? new Refusal(`${otherType}, and ${error.message}`) : error;
    }
  }

  private get mayInherit(): boolean {
    return this.asked.length > 0 && isTypeAddress(this.credential.type);
  }
}

/**
 * Finds the first type of a credential that its issuer may issue, when there are several or metadata has to say.
 * @param judge gives the key of the issuer for one type; throws what `refusalReason` knows, as this does
 */
export async function findAcceptedType<Key>(
  types: AsyncIterable<AcceptedType>,
  judge: (type: string) => Promise<Key>,
): Promise<{ readonly accepted: AcceptedType; readonly issuerKey: Key }> {
  let refusal: Error = new Refusal(otherType);
  for await (const accepted of types) {
    try {
      return { accepted, issuerKey: await judge(accepted.type) };
    } catch (error) {
      if (refusalReason(error) === undefined) throw error;
      refusal = error as Error;
    }
  }
  throw refusal;
}
