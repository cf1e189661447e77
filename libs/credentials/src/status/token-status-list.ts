import { urlOf } from '@app/primitives/url';
import { isJsonObject, type JsonValue } from '@app/primitives/json';
import { readTimes } from '../jwt-times';
import { demand } from '../presentation-check';
import { decodeStatusList, type StatusBitsList, type StatusListReference } from './status-list';
import { readTtl, type StatusListKind } from './status-lists';

/** Token Status List §5.1, §8.3. */
export const tokenStatusList: StatusListKind<StatusBitsList> = {
  mediaTypes: ['application/statuslist+jwt'],
  isAlsoCwt: true,
  checkClaims({ header, payload }, { uri, issuer, isOfDocument }) {
    const isList = header['typ'] === 'statuslist+jwt' || (isOfDocument === true && header['typ'] === 'statuslist+cwt');
    demand(isList, 'the typ of the status list token is not statuslist+jwt');
    demand(payload['sub'] === uri, 'the status list token is about another list');
    const isFromIssuer = isOfDocument === true || payload['iss'] === undefined || payload['iss'] === issuer;
    demand(isFromIssuer, 'the status list token is from another issuer');
  },
  readTimes(payload) {
    const times = readTimes(payload);
    demand(times.iat !== undefined, 'the status list token has no iat');
    return times;
  },
  read(payload) {
    const list = decodeStatusList(payload['status_list']);
    demand(list !== undefined, 'the status list is malformed or too large');
    return { list, ttl: readTtl(payload['ttl']) };
  },
};

/** Reads the `status` claim of a credential. Throws `Refusal`. */
export function readStatusClaim(status: JsonValue): StatusListReference {
  // What it says counts, whichever other mechanisms stand beside it (§6.2): none of those is understood here.
  const list = isJsonObject(status) ? status['status_list'] : undefined;
  demand(isJsonObject(list), 'the status of the credential is of another kind');
  const { uri, idx } = list;
  demand(
    typeof uri === 'string' && urlOf(uri) !== undefined,
    'the status list of the credential is not named by a URL',
  );
  demand(typeof idx === 'number' && Number.isSafeInteger(idx) && idx >= 0, 'the status index is not a whole number');
  return { uri, idx };
}
