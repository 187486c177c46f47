// Nest must be evaluated before any decorated file: jest links ES modules in an order of its own.
import 'reflect-metadata';
import '@nestjs/common';
import '@nestjs/core';
