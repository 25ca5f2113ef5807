import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { JournalDigest } from './journal-digest.entity.js';
import { WriteDigestHandler } from './write-digest.handler.js';

@Module({ imports: [TypeOrmModule.forFeature([JournalDigest])], providers: [WriteDigestHandler] })
export class DigestModule {}
