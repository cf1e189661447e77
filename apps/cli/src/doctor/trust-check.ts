import type { Settings } from '@app/config';
import { Metrics } from '@app/observability';
import { OutboundClient } from '@app/outbound';
import { endOf, TrustAnchors, TrustLists, type TrustState } from '@app/identity';
import { fail, type Finding, ok, warn } from './finding';

const day = 24 * 3600 * 1000;

/** The certificate authorities that are trusted. Asks for the lists, too. */
export async function readTrust(settings: Settings): Promise<TrustState> {
  const client = new OutboundClient({ allowPrivateHosts: settings.outbound.allowPrivateHosts, negativeCacheMs: 0 });
  try {
    const anchors = new TrustAnchors(settings, new TrustLists(settings, client), new Metrics());
    await anchors.reload();
    return anchors.state();
  } finally {
    await client.close();
  }
}

/** Whether they can be read, and for how long they last. */
export function judgeTrust({ anchors, faults, firstListEnd, lateLists }: TrustState, now: Date): Finding {
  const check = 'trust';
  const [fault] = faults;
  if (fault) {
    const found = faults.map(({ source, found }) => `${source}: ${found}`).join('; ');
    return fail(check, found, `For ${fault.source}: ${fault.remedy}.`);
  }
  if (anchors.length === 0) {
    return ok(
      check,
      'no certificate authorities; issuers are trusted by their names (SERVICE__VERIFICATION__TRUSTED_ISSUERS)',
    );
  }
  const endsBefore = (time: number): TrustState['anchors'] =>
    anchors.filter((anchor) => endOf(anchor).getTime() < time);
  const expired = endsBefore(now.getTime());
  // One of an imported list ends with that list.
  const ending = endsBefore(now.getTime() + 30 * day).filter(
    (anchor) => !anchor.until || endOf(anchor).getTime() < now.getTime() + 2 * day,
  );
  const names = (some: TrustState['anchors']): string => some.map(({ name }) => name).join(', ');
  const remedy = 'Ask for the next certificate and put it beside the old one, or remove the old one.';
  if (expired.length > 0) return warn(check, `expired: ${names(expired)}`, remedy);
  if (ending.length > 0) return warn(check, `expire within 30 days: ${names(ending)}`, remedy);
  if (firstListEnd && lateLists.length > 0) {
    const found = `lists of trusted entities end soon, the first at ${firstListEnd.toISOString()}: ${lateLists.join(', ')}`;
    return warn(check, found, 'Their operators have to publish the next ones before.');
  }
  const described = anchors.map(({ name, purposes }) => `${name} (${purposes.join(', ')})`);
  const more = described.length > 5 ? `, and ${described.length - 5} more` : '';
  return ok(check, `${anchors.length} certificate authorities: ${described.slice(0, 5).join('; ')}${more}`);
}
