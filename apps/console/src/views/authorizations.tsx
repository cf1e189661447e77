import type { VNode } from 'preact';
import type { AuthorizationSummary } from '../api/resources';
import { Latest } from '../parts/latest';
import { Kind } from '../parts/kind';
import { Moment } from '../parts/moment';
import { Row } from '../parts/rows';
import { addressOf } from '../place';
import { text } from '../texts';

export function AuthorizationsView(): VNode {
  return (
    <Latest<AuthorizationSummary>
      title={text('common.authorizations')}
      path="authorizations"
      nothing={text('authorizations.nothing')}
    >
      {({ authorizationId, status, clientId, clientName, credentialConfigurationIds, createdAt }) => (
        <Row
          key={authorizationId}
          address={addressOf('authorizations', authorizationId)}
          title={clientName ?? clientId}
          id={clientId}
          state={status}
          about={
            <>
              <Kind ids={credentialConfigurationIds} /> · <Moment at={createdAt} />
            </>
          }
        />
      )}
    </Latest>
  );
}
