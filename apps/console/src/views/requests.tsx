import type { VNode } from 'preact';
import type { RequestSummary } from '../api/resources';
import { Latest } from '../parts/latest';
import { Moment } from '../parts/moment';
import { Row } from '../parts/rows';
import { addressOf } from '../place';

const start = { address: addressOf('new-request'), text: 'New request' };

export function RequestsView(): VNode {
  return (
    <Latest<RequestSummary>
      title="Requests"
      start={start}
      path="authorization_requests"
      nothing="Nobody has been asked to present a credential yet."
    >
      {({ state, status, responseType, createdAt }) => (
        <Row
          key={state}
          address={addressOf('requests', state)}
          title={state}
          state={status}
          about={
            <>
              {responseType} · <Moment at={createdAt} />
            </>
          }
        />
      )}
    </Latest>
  );
}
