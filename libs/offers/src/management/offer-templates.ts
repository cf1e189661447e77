import type { Repository } from '@app/event-store';
import { TemplateLimits } from '@app/http';
import { FindPromisedConfiguration } from '@app/templates';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { type Offer, type OfferEvent, OFFERS } from '../offer/offer';

/** Tells of which templates the credentials of an offer are, for callers whose rights are for some templates alone. */
@Injectable()
export class OfferTemplates implements OnModuleInit {
  constructor(
    private readonly limits: TemplateLimits,
    private readonly queries: QueryBus,
    @Inject(OFFERS) private readonly offers: Repository<Offer, OfferEvent>,
  ) {}

  onModuleInit(): void {
    this.limits.knows('offerId', async (id) => {
      const { state } = await this.offers.load(id);
      const found = state?.credentials.map(({ configurationId }) => this.templatesOf(configurationId));
      return found && (await Promise.all(found)).flat();
    });
    this.limits.knows('credentialConfigurationId', (id) => this.templatesOf(id));
    this.limits.knows('templateId', (id) => [id]);
  }

  /** What is of no template has a name that no template has. */
  private async templatesOf(configurationId: string): Promise<readonly string[]> {
    const found = await this.queries.execute(new FindPromisedConfiguration(configurationId));
    return [('configuration' in found ? found.configuration.templateId : undefined) ?? ''];
  }
}
