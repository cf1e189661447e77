import { resource } from '@app/http';
import { ofCredential } from './credentials.contract';

export const credentialApproval = resource(ofCredential, {
  approve: {
    id: 'approveCredential',
    makesNew: true,
    route: 'POST :credentialId/approve',
    summary: 'Approve a credential that waits for it',
    description:
      'For a credential of a template with `approval: manual` whose data is there (`approval: awaited`): the wallet gets it when it ' +
      'asks the next time. To refuse it, deny it. Approving again changes nothing.',
    answers: { 204: 'The wallet gets the credential when it asks the next time.' },
  },
});
