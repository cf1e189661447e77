import { type CarriedOut, CarryOutPublication, CarryOutTemplateChange } from '@app/approvals';
import type { JsonObject } from '@app/primitives/json';
import { Problem } from '@app/primitives/problems';
import { CommandBus, CommandHandler, ICommandHandler, IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { FindFourEyes } from '../api';
import type { FourEyes } from '../template/four-eyes';
import type { TemplateChange } from '../template/template-input';
import { TemplateRecords } from '../template/template-records';
import { ChangeTemplate, type MovedTemplate, MoveTemplate } from './templates.handlers';

@CommandHandler(CarryOutPublication)
export class CarryOutPublicationHandler implements ICommandHandler<CarryOutPublication> {
  constructor(private readonly commands: CommandBus) {}

  execute({ object, details }: CarryOutPublication): Promise<CarriedOut> {
    return unlessChanged(() => this.commands.execute(new MoveTemplate(object, 'publish', seen(details), true)));
  }
}

@CommandHandler(CarryOutTemplateChange)
export class CarryOutTemplateChangeHandler implements ICommandHandler<CarryOutTemplateChange> {
  constructor(private readonly commands: CommandBus) {}

  execute({ object, details }: CarryOutTemplateChange): Promise<CarriedOut> {
    // What the body of a change was.
    const changes = details['changes'] as TemplateChange;
    return unlessChanged(() => this.commands.execute(new ChangeTemplate(object, changes, seen(details), true)));
  }
}

@QueryHandler(FindFourEyes)
export class FindFourEyesHandler implements IQueryHandler<FindFourEyes> {
  constructor(private readonly records: TemplateRecords) {}

  execute({ templateId }: FindFourEyes): Promise<FourEyes> {
    return this.records.fourEyes(templateId);
  }
}

/** The template has to be what the one who asked has seen. */
function seen({ version }: JsonObject) {
  return { match: [Number(version)] };
}

async function unlessChanged(carryOut: () => Promise<MovedTemplate>): Promise<CarriedOut> {
  try {
    await carryOut();
    return undefined;
  } catch (error) {
    if (error instanceof Problem && error.slug === 'version-conflict') return { reason: 'template-changed' };
    throw error;
  }
}
