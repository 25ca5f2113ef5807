import { Injectable } from '@nestjs/common';
import { LiveJobs } from '../../manager/index.js';
import type { Node } from '../../schedules/index.js';
import type { NodeSortField } from '../../storage/index.js';
import type { Shaped } from '../input/field.js';
import type { nodeSearchShape } from '../input/node.shapes.js';
import type { PageRequest } from '../input/page-meta.js';
import { searchable } from '../input/search-values.js';
import { pageAnswer, sliceOf, type PageAnswer } from './page-answer.js';

/** `sys/cron/node`: the nodes, to read. */
@Injectable()
export class NodeResource {
  constructor(private readonly liveJobs: LiveJobs) {}

  async findPage(
    params: Shaped<typeof nodeSearchShape>,
    page: PageRequest<NodeSortField>,
  ): Promise<PageAnswer<Node>> {
    return pageAnswer(page, await this.liveJobs.findNodes(searchable(params), sliceOf(page)));
  }
}
