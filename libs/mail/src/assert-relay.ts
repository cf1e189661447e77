import type { MailSettings } from '@app/config';
import { Problem } from '@app/primitives/problems';

/** Throws `setting-missing`. */
export function assertRelay({ host, from }: MailSettings): void {
  if (host !== '' && from !== '') return;
  throw new Problem('setting-missing', 'No mail can be sent: set SERVICE__MAIL__HOST and SERVICE__MAIL__FROM.');
}
