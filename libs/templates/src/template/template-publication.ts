import type { Publication } from '@app/event-store';
import { templateAggregate, type TemplateEvent } from './template';

export const templatePublication: Publication<TemplateEvent> = {
  category: templateAggregate.category,
  resources: 'templates',
  types: {
    TemplateCreated: null,
    TemplateChanged: null,
    TemplatePublished: 'template.published',
    TemplateArchived: 'template.archived',
    TemplateDeleted: null,
  },
  data: ({ id, event }) => ({ templateId: id, status: event.type === 'TemplatePublished' ? 'Published' : 'Archived' }),
};
