terraform {
  required_version = ">= 1.7"
  required_providers {
    aws = {
      source                = "hashicorp/aws"
      version               = "~> 6.0"
      configuration_aliases = [aws.near, aws.far]
    }
  }
}

variable "near" {
  description = "The network that requests the peering."
  type        = object({ vpc = string, owner = string, cidr = string, route_table = string })
}

variable "far" {
  description = "The network that accepts the peering, in another region."
  type        = object({ vpc = string, owner = string, cidr = string, route_table = string })
}

data "aws_region" "far" {
  provider = aws.far
}

resource "aws_vpc_peering_connection" "this" {
  provider      = aws.near
  vpc_id        = var.near.vpc
  peer_vpc_id   = var.far.vpc
  peer_owner_id = var.far.owner
  peer_region   = data.aws_region.far.region
  auto_accept   = false
}

resource "aws_vpc_peering_connection_accepter" "this" {
  provider                  = aws.far
  vpc_peering_connection_id = aws_vpc_peering_connection.this.id
  auto_accept               = true
}

resource "aws_route" "there" {
  provider                  = aws.near
  route_table_id            = var.near.route_table
  destination_cidr_block    = var.far.cidr
  vpc_peering_connection_id = aws_vpc_peering_connection_accepter.this.id
}

resource "aws_route" "back" {
  provider                  = aws.far
  route_table_id            = var.far.route_table
  destination_cidr_block    = var.near.cidr
  vpc_peering_connection_id = aws_vpc_peering_connection_accepter.this.id
}
