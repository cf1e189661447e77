import { HttpReply } from '../context/http-reply';
import { Implements } from './implementation';
import { type Answer, listOf, resource } from './operation';
import { closed, dateTime, eg, integer, textOrNull } from './schemas';

const thing = closed({
  thingId: eg('t-1'),
  kind: eg('old', { enum: ['old', 'new'] }),
  'note?': textOrNull,
  isOpen: eg(true, { type: 'boolean' }),
  parts: { type: 'array', items: closed({ count: integer, 'at?': { ...dateTime, description: 'When.' } }) },
});
const things = resource(
  { path: 'v0/things', area: 'offers', tag: 'Things', description: 'Things.' },
  {
    list: listOf('listThings', 'List the things', thing),
    remove: { id: 'removeThing', route: 'DELETE :thingId', summary: 'Remove a thing', answers: { 204: 'It is gone.' } },
  },
);

type Thing = Answer<typeof things.list>['items'][number];
type Fits<A, B> = A extends B ? true : false;
interface Whole {
  thingId: string;
  kind: 'new';
  isOpen: boolean;
  parts: { count: number; at?: string }[];
}

// The compiler checks it; a false that became true, or the reverse, is no longer of its type.
const fits: {
  readonly whole: Fits<Whole & { note: null }, Thing>;
  readonly withoutOptional: Fits<Whole, Thing>;
  readonly withoutRequired: Fits<Omit<Whole, 'thingId'>, Thing>;
  readonly ofAnotherChoice: Fits<Omit<Whole, 'kind'> & { kind: 'odd' }, Thing>;
  readonly ofAnotherType: Fits<Whole & { note: 1 }, Thing>;
  readonly ofOtherParts: Fits<Omit<Whole, 'parts'> & { parts: { at: string }[] }, Thing>;
  readonly unknown: Fits<Record<string, unknown>, Thing>;
  readonly nothing: Fits<undefined, Answer<typeof things.remove>>;
} = {
  whole: true,
  withoutOptional: true,
  withoutRequired: false,
  ofAnotherChoice: false,
  ofAnotherType: false,
  ofOtherParts: false,
  unknown: false,
  nothing: true,
};

class Methods {
  @Implements(things.list)
  list(): Answer<typeof things.list> {
    return { items: [], nextCursor: null };
  }

  @Implements(things.list)
  reply(): Promise<HttpReply> {
    return Promise.resolve(new HttpReply(200));
  }

  // @ts-expect-error -- The contract says more of the answer.
  @Implements(things.list)
  untyped(): Promise<unknown> {
    return Promise.resolve({});
  }

  // @ts-expect-error -- An answer is promised.
  @Implements(things.list)
  silent(): void {}

  @Implements(things.remove)
  remove(): Promise<void> {
    return Promise.resolve();
  }
}

describe('an operation', () => {
  it('has the type of its answer from its schema', () => {
    expect(Object.values(fits)).toHaveLength(8);
  });

  it('is implemented by methods that answer what its schema says, or a reply', () => {
    expect(new Methods()).toBeDefined();
  });
});
