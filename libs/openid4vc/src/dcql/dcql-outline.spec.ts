import { outlineOf } from './dcql-outline';
import { parseDcqlQuery } from './dcql-query';

const one = { id: 'one', format: 'dc+sd-jwt', meta: { vct_values: ['v'] } };
const w3c = { id: 'w3c', format: 'jwt_vc_json', meta: { type_values: [['VerifiableCredential']] } };
const outline = (query: object) =>
  outlineOf(parseDcqlQuery(query)).map(({ isRequired, alternatives }) => ({
    isRequired,
    alternatives: alternatives.map((together) => together.map(({ query: { id } }) => id)),
  }));

describe('the outline of a query', () => {
  it('requires every credential where there are no sets', () => {
    expect(outline({ credentials: [one, w3c] })).toEqual([
      { isRequired: true, alternatives: [['one']] },
      { isRequired: true, alternatives: [['w3c']] },
    ]);
  });

  it('has the options of each set', () => {
    const sets = [{ options: [['one', 'w3c'], ['w3c']] }, { options: [['one']], required: false }];
    expect(outline({ credentials: [one, w3c], credential_sets: sets })).toEqual([
      { isRequired: true, alternatives: [['one', 'w3c'], ['w3c']] },
      { isRequired: false, alternatives: [['one']] },
    ]);
  });

  it('has the claims from where those of the person start, in each of their sets', () => {
    const claims = [
      { id: 'a', path: ['credentialSubject', 'age'] },
      { id: 'b', path: ['validUntil'] },
    ];
    const [choice] = outlineOf(parseDcqlQuery({ credentials: [{ ...w3c, claims, claim_sets: [['b'], ['b', 'a']] }] }));
    expect(choice?.alternatives[0]?.[0]).toMatchObject({
      types: [],
      isSentWhole: true,
      claims: [[['validUntil']], [['validUntil'], ['age']]],
    });
  });

  it('names no claims where a query asks for all of them by the member that holds them', () => {
    const [choice] = outlineOf(
      parseDcqlQuery({ credentials: [{ ...w3c, claims: [{ path: ['credentialSubject'] }] }] }),
    );
    expect(choice?.alternatives[0]?.[0]).toMatchObject({ isSentWhole: true, claims: [[]] });
  });
});
