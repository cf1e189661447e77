import type { IncomingMessage } from 'node:http';
import { readPresentedCredential } from './presented-credential';

/** The headers as Node keeps them, without joining repeated ones. */
function sent(headers: Readonly<Record<string, string | string[]>>): Pick<IncomingMessage, 'headersDistinct'> {
  return {
    headersDistinct: Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, [values].flat()])),
  };
}

describe('presentedCredential', () => {
  const none = { kind: 'none' };
  const key = { kind: 'credential', text: 'a-key.of_16~chars', scheme: 'Bearer' };
  const bound = { ...key, scheme: 'DPoP' };
  const malformed = { kind: 'unusable', reason: 'malformed' };

  it.each([
    [{}, none],
    [{ authorization: 'Basic YTpi' }, none],
    [{ authorization: 'BearerX a-key.of_16~chars' }, none],
    [{ authorization: 'Bearer a-key.of_16~chars' }, key],
    [{ authorization: 'bearer   a-key.of_16~chars' }, key],
    [{ 'x-api-key': 'a-key.of_16~chars' }, key],
    [{ authorization: 'Basic YTpi', 'x-api-key': 'a-key.of_16~chars' }, key],
    [{ authorization: 'Bearer a-key.of_16~chars', 'x-api-key': 'a-key.of_16~chars' }, key],
    [{ authorization: 'DPoP a-key.of_16~chars' }, bound],
    [{ authorization: 'dpop  a-key.of_16~chars', dpop: 'proof' }, bound],
    [{ authorization: 'DPoP a-key.of_16~chars', 'x-api-key': 'a-key.of_16~chars' }, bound],
    [{ authorization: 'DPoPX a-key.of_16~chars' }, none],
    [{ dpop: 'proof' }, { kind: 'unusable', reason: 'proof-alone' }],
    [{ authorization: 'DPoP', dpop: 'proof' }, malformed],
    [{ authorization: 'Bearer' }, malformed],
    [{ authorization: 'Bearer two words' }, malformed],
    [{ 'x-api-key': '' }, malformed],
    [{ 'x-api-key': 'one, two' }, malformed],
    [
      { authorization: 'Bearer one', 'x-api-key': 'two' },
      { kind: 'unusable', reason: 'several-credentials' },
    ],
    [
      { authorization: 'DPoP one', 'x-api-key': 'two', dpop: 'proof' },
      { kind: 'unusable', reason: 'several-credentials' },
    ],
  ])('reads %j', (headers, expected) => {
    expect(readPresentedCredential(sent(headers))).toEqual(expected);
  });
});
