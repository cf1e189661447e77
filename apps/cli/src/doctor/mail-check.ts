import type { Settings } from '@app/config';
import { examineRelay } from '@app/mail';
import { fail, type Finding, ok } from './finding';

const check = 'mail';

/** Whether the relay takes our login. No mail is sent. */
export async function checkMail({ mail }: Settings): Promise<Finding> {
  if (mail.host === '') return ok(check, 'no relay');
  const failure = await examineRelay(mail);
  if (!failure) return ok(check, `${mail.host} answers${mail.user === '' ? '' : ', and takes the login'}`);
  return fail(
    check,
    `${mail.host} cannot be used: ${failure.reason}`,
    'Mails wait for it: see "Mails are not sent" in docs/runbook.md.',
  );
}
