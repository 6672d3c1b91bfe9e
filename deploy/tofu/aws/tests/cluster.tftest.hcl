# Plans with mocked providers: tofu test, or terraform test. Nothing is created.
mock_provider "aws" {
  alias           = "a"
  override_during = plan
  mock_resource "aws_instance" {
    defaults = { id = "i-1", public_ip = "203.0.113.7", private_ip = "10.0.0.2" }
  }
  mock_data "aws_availability_zones" {
    defaults = { names = ["us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d"] }
  }
}

mock_provider "aws" {
  alias           = "b"
  override_during = plan
  mock_resource "aws_instance" {
    defaults = { id = "i-1", public_ip = "203.0.113.7", private_ip = "10.0.0.2" }
  }
  mock_data "aws_availability_zones" {
    defaults = { names = ["eu-west-1a", "eu-west-1b"] }
  }
}

mock_provider "aws" {
  alias           = "c"
  override_during = plan
  mock_resource "aws_instance" {
    defaults = { id = "i-1", public_ip = "203.0.113.7", private_ip = "10.0.0.2" }
  }
  mock_data "aws_availability_zones" {
    defaults = { names = ["ap-south-1a", "ap-south-1b", "ap-south-1c"] }
  }
}

variables {
  ssh_public_key_file = "tests/key.pub"
  operator_cidrs      = ["192.0.2.7/32"]
  regions = [
    { name = "us-east", cloud_region = "us-east-1", cidr = "10.10.0.0/16", servers = 4, clients = 2 },
    { name = "eu-west", cloud_region = "eu-west-1", cidr = "10.20.0.0/16", servers = 3, clients = 1 },
    { name = "ap-south", cloud_region = "ap-south-1", cidr = "10.30.0.0/16", servers = 1, clients = 0 },
  ]
}

run "every_machine_is_in_the_inventory" {
  command = plan
  assert {
    condition     = keys(yamldecode(output.inventory).all.children.morty_servers.children.us_east_servers.hosts) == ["us-east-1", "us-east-2", "us-east-3", "us-east-4"]
    error_message = "The servers of us-east are not in the inventory."
  }
  assert {
    condition     = keys(yamldecode(output.inventory).all.children.morty_clients.children.us_east_clients.hosts) == ["us-east-client", "us-east-client-2"]
    error_message = "The clients of us-east are not in the inventory."
  }
  assert {
    condition     = yamldecode(output.inventory).all.children.eu_west.vars.morty_region == "eu-west"
    error_message = "The region of eu-west is wrong."
  }
}

run "two_regions_are_refused" {
  command = plan
  variables {
    regions = [
      { name = "us-east", cloud_region = "us-east-1", cidr = "10.10.0.0/16", servers = 2, clients = 0 },
      { name = "eu-west", cloud_region = "eu-west-1", cidr = "10.20.0.0/16", servers = 1, clients = 0 },
    ]
  }
  expect_failures = [var.regions]
}

run "networks_that_overlap_are_refused" {
  command = plan
  variables {
    regions = [
      { name = "us-east", cloud_region = "us-east-1", cidr = "10.10.0.0/16", servers = 1, clients = 0 },
      { name = "eu-west", cloud_region = "eu-west-1", cidr = "10.10.0.0/16", servers = 1, clients = 0 },
      { name = "ap-south", cloud_region = "ap-south-1", cidr = "10.30.0.0/16", servers = 1, clients = 0 },
    ]
  }
  expect_failures = [var.regions]
}
